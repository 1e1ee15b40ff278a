import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openEmbedded } from '../../../src/db/embedded/embedded.ts';
import { StartError } from '../../../src/kernel/process/start-error.ts';

let root: string;
let whole: string;
let dataDir: string;
let next = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'embedded loss '));
  whole = join(root, 'whole');
  await mkdir(whole);
  const pglite = await openEmbedded(whole, 'full');
  await pglite.exec("create table kept (name text); insert into kept values ('mine'); checkpoint");
  await pglite.close();
});

afterAll(() => rm(root, { recursive: true, force: true }));

beforeEach(async () => {
  dataDir = join(root, String(next++));
  await mkdir(dataDir);
});

async function readKept(): Promise<unknown> {
  const pglite = await openEmbedded(dataDir, 'full');
  try {
    return (await pglite.query('select name from kept')).rows;
  } finally {
    await pglite.close();
  }
}

describe('openEmbedded', () => {
  it('makes a database in a folder that is absent or empty, and leaves nothing else', async () => {
    expect(await readdir(whole)).toEqual(['database']);
    await mkdir(join(dataDir, 'database'));
    await (await openEmbedded(dataDir, 'full')).close();
    expect(await readdir(join(dataDir, 'database'))).toContain('PG_VERSION');
  });

  it('never makes one over what is left of another', async () => {
    await cp(join(whole, 'database'), join(dataDir, 'database'), { recursive: true });
    await rm(join(dataDir, 'database', 'PG_VERSION'));
    const left = await readdir(join(dataDir, 'database'), { recursive: true });
    const directory = join(dataDir, 'database');
    await expect(openEmbedded(dataDir, 'full')).rejects.toThrow(
      new StartError(
        `The folder ${directory} is not empty, but has no PG_VERSION, so a part of the embedded database in it is lost; put a backup in its place, or move it away to start with an empty database.`,
      ),
    );
    expect((await readdir(directory, { recursive: true })).sort()).toEqual(left.sort());
    await writeFile(join(directory, 'PG_VERSION'), '18\n');
    expect(await readKept()).toEqual([{ name: 'mine' }]);
  });

  it.each(['global/pg_control', 'global', 'pg_wal', 'pg_xact', 'base', 'base/5'])(
    'refuses a database that has lost %s, in one sentence',
    async lost => {
      await cp(join(whole, 'database'), join(dataDir, 'database'), { recursive: true });
      await rm(join(dataDir, 'database', lost), { recursive: true });
      await expect(openEmbedded(dataDir, 'full')).rejects.toThrow(StartError);
    },
  );

  it.each(['absent', 'empty'])('makes none beside demo.json, whose database is %s', async state => {
    await writeFile(join(dataDir, 'demo.json'), '{}');
    if (state === 'empty') await mkdir(join(dataDir, 'database'));
    await expect(openEmbedded(dataDir, 'full')).rejects.toThrow(
      new StartError(
        `The data directory ${dataDir} has demo.json, but no database; put the database back, set DATA_DIR to another directory, or move demo.json away to start with an empty database.`,
      ),
    );
    expect(await readdir(dataDir)).toEqual(state === 'empty' ? ['database', 'demo.json'] : ['demo.json']);
    await rm(join(dataDir, 'database'), { recursive: true, force: true });
    await cp(join(whole, 'database'), join(dataDir, 'database'), { recursive: true });
    expect(await readKept()).toEqual([{ name: 'mine' }]);
  });

  it('begins again where making one was interrupted', async () => {
    await mkdir(join(dataDir, 'database.unfinished', 'base'), { recursive: true });
    await writeFile(join(dataDir, 'database.unfinished', 'PG_VERSION'), '18\n');
    await (await openEmbedded(dataDir, 'full')).close();
    expect(await readdir(dataDir)).toEqual(['database']);
  });
});
