import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acceptRisks, connectNumber, followLink } from '../../../support/chat-qr/linked.ts';
import { newNumber } from '../../../support/chat-qr/set-up-numbers.ts';
import { setUpApp } from '../../../support/fixtures.ts';

const folder = await mkdtemp(join(tmpdir(), 'heliograph-broken-library-'));
const on = setUpApp({ env: { CHAT_QR_DIR: folder } });
beforeAll(async () => {
  const at = join(folder, 'node_modules/baileys');
  await mkdir(at, { recursive: true });
  await writeFile(join(at, 'package.json'), JSON.stringify({ version: '7.0.0-rc14' }));
  await on.app.start();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a link whose library turns out not to start ends, and says so', async () => {
  const connectionId = await connectNumber(on, null, { number: newNumber() });
  await acceptRisks(on, connectionId);
  const step = await followLink(on.app, connectionId, 'QR').next();
  expect(step.value).toMatchObject({
    state: 'FAILED',
    error: expect.stringContaining('The library of QR-linked chats does not start. '),
  });
});
