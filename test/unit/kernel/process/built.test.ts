import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findBuilt, makeBuilt } from '../../../../src/kernel/process/built.js';

let folder: string;
let built: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'heliograph-built-'));
  built = join(folder, 'dist/server');
  await mkdir(join(folder, 'src/dashboard'), { recursive: true });
  for (const name of ['package.json', 'src/main.ts', 'src/app.ts', 'src/dashboard/docs.ts'])
    await writeFile(join(folder, name), 'made');
});

afterEach(() => rm(folder, { recursive: true }));

function make(text: string): Promise<void> {
  return makeBuilt(to => writeFile(join(to, text), text), folder);
}

it('is found while the sources are what it was made of', async () => {
  expect(findBuilt(folder)).toBeNull();
  await make('first');
  expect(findBuilt(folder)).toEqual(pathToFileURL(`${built}/`));
  await writeFile(join(folder, 'src/dashboard/docs.ts'), 'the server has no part of it');
  expect(findBuilt(folder)).toEqual(pathToFileURL(`${built}/`));
});

it.each([
  ['changed', () => writeFile(join(folder, 'src/app.ts'), 'edit')],
  ['added', () => writeFile(join(folder, 'src/more.ts'), '')],
  ['removed', () => rm(join(folder, 'src/app.ts'))],
  ['renamed', () => rm(join(folder, 'src/app.ts')).then(() => writeFile(join(folder, 'src/api.ts'), 'made'))],
  ['replaced by another release', () => writeFile(join(folder, 'package-lock.json'), '')],
])('is not found after a source was %s, until it is made again', async (_what, change) => {
  await make('first');
  await change();
  expect(findBuilt(folder)).toBeNull();
  await make('second');
  expect(findBuilt(folder)).toEqual(pathToFileURL(`${built}/`));
  expect(await readdir(built)).not.toContain('first');
});

it('is found where the client package was built', async () => {
  await make('first');
  await mkdir(join(folder, 'src/client/dist'), { recursive: true });
  await writeFile(join(folder, 'src/client/dist/heliograph.js'), 'built');
  expect(findBuilt(folder)).toEqual(pathToFileURL(`${built}/`));
});

it('is found without sources, as in a packed release, by any lock', async () => {
  await make('first');
  await rm(join(folder, 'src'), { recursive: true });
  await writeFile(join(folder, 'package-lock.json'), 'own');
  expect(findBuilt(folder)).toEqual(pathToFileURL(`${built}/`));
});

it('is not found if it was broken off', async () => {
  await make('first');
  await expect(makeBuilt(() => Promise.reject(new Error('killed')), folder)).rejects.toThrow('killed');
  expect(findBuilt(folder)).toBeNull();
});

it('is not found if a source was changed meanwhile', async () => {
  await makeBuilt(() => writeFile(join(folder, 'src/main.ts'), 'edit'), folder);
  expect(findBuilt(folder)).toBeNull();
});
