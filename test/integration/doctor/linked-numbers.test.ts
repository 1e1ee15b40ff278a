import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Finding } from '../../../src/modules/doctor/finding.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { connectNumber } from '../../support/chat-qr/linked.ts';
import { setUpApp } from '../../support/fixtures.ts';

const folder = await mkdtemp(join(tmpdir(), 'heliograph-no-library-'));
const on = setUpApp({ env: { CHAT_QR_DIR: folder } });
beforeAll(() => on.app.start());
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the doctor says how the library of linked chats is installed where a number lacks it', async () => {
  const connectionId = await connectNumber(on, null, { number: '12025550100' });
  const findDown = async (): Promise<Finding | undefined> => {
    const query = '{ doctor { findings { name message mend } } }';
    const { data } = await on.graphql<{ doctor: { findings: Finding[] } }>(query, { token: OPERATOR_TOKEN });
    return data?.doctor.findings.find(({ name }) => name === 'connections.down');
  };
  // A process looks after its sessions every four seconds.
  await expect.poll(findDown, { timeout: 20_000 }).toEqual({
    name: 'connections.down',
    message: expect.stringContaining('npm install --prefix <CHAT_QR_DIR> baileys@'),
    mend: expect.stringContaining(`npx heliograph connection link ${connectionId}`),
  });
});
