import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LIBRARY, libraryFault } from '../../../src/channels/chat-qr/driver-process.ts';
import { REPOSITORY } from '../../support/repository.ts';

test('a library of another version is refused, and the command that mends it is told, without the folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'heliograph-library-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  // Accounts read it as the last error of a connection.
  const mend = `npm install --prefix <CHAT_QR_DIR> ${LIBRARY}`;
  expect(libraryFault(folder)).toContain(`is not installed. On the gateway's machine: ${mend}`);
  const at = join(folder, 'node_modules/baileys');
  await mkdir(at, { recursive: true });
  const install = (version: string) => writeFile(join(at, 'package.json'), JSON.stringify({ version }));
  await install('7.0.0-rc13');
  expect(libraryFault(folder)).toContain(`has the version 7.0.0-rc13. On the gateway's machine: ${mend}`);
  await install('7.0.0-rc14');
  expect(libraryFault(folder)).toBeNull();
});

test('the library and its GPL part are no dependency of ours', async () => {
  const lock = JSON.parse(await readFile(join(REPOSITORY, 'package-lock.json'), 'utf8'));
  const packages = Object.keys(lock.packages);
  expect(packages.length).toBeGreaterThan(100);
  expect(packages.filter(name => /(baileys|libsignal)/i.test(name))).toEqual([]);
});
