import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { REPOSITORY } from '../support/repository.ts';

const run = promisify(execFile);
const SOURCES = join(REPOSITORY, 'src');
const START = ['start.js', 'kernel/process/built.js'];

let folder: string;
let cache: string;

// A project of one command, which tells where its compiled code is kept.
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'heliograph-compile-'));
  cache = join(folder, 'node_modules/.cache/heliograph');
  await mkdir(join(folder, 'src/cli'), { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await mkdir(join(folder, 'src/kernel/process'), { recursive: true });
  for (const path of START) await copyFile(join(SOURCES, path), join(folder, 'src', path));
  await writeFile(
    join(folder, 'src/cli/main.ts'),
    "import { getCompileCacheDir } from 'node:module';\nconsole.log(getCompileCacheDir() ?? 'nowhere');\n",
  );
});

afterEach(() => rm(folder, { recursive: true }));

async function keptIn(): Promise<string> {
  const { NODE_COMPILE_CACHE: _given, ...env } = process.env;
  return (await run(process.execPath, [join(folder, 'src/start.js'), 'cli'], { env })).stdout.trim();
}

test('what Node compiles is kept beside the packages, for the user alone', async () => {
  expect(await keptIn()).toContain(cache);
  expect((await stat(cache)).mode & 0o777).toBe(0o700);
});

test('nothing is read from a folder that others can write to', async () => {
  await mkdir(cache, { recursive: true });
  await chmod(cache, 0o777);
  expect(await keptIn()).toBe('nowhere');
});

test('a start needs no such folder', async () => {
  await mkdir(join(folder, 'node_modules/.cache'));
  await writeFile(cache, '');
  expect(await keptIn()).toBe('nowhere');
});
