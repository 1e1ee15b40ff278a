import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitForHolder } from '../../../src/cli/gateway/wait-for-holder.ts';

let dataDir: string;
let nowMs = 0;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'data dir '));
  await writeFile(join(dataDir, 'a file'), '');
});
afterAll(() => rm(dataDir, { recursive: true }));

const begin = (said: string[] = []) => waitForHolder({ dataDir, say: message => said.push(message), now: () => nowMs });

test('a command that waits says so once, and names the directory', () => {
  const said: string[] = [];
  const waitsOn = begin(said);
  waitsOn();
  waitsOn();
  expect(said).toEqual([`Another process works on the data directory ${dataDir}: waiting for it …`]);
});

test('a command waits as long as files of the directory change, and gives up 30 s after the last change', async () => {
  const waitsOn = begin();
  for (let change = 1; change <= 10; change++) {
    nowMs += 29_999;
    await utimes(join(dataDir, 'a file'), change, change);
    expect(waitsOn()).toBe(true);
  }
  nowMs += 29_999;
  expect(waitsOn()).toBe(true);
  nowMs += 1;
  expect(waitsOn()).toBe(false);
});
