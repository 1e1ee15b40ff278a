import { readdirSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeTemplate } from '../../../src/build/make-template.ts';
import { openEmbedded } from '../../../src/db/embedded/embedded.ts';
import { unpackEmbedded } from '../../../src/db/embedded/embedded-template.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { openDatabase } from '../../../src/db/orm.ts';
import { StartError } from '../../../src/kernel/process/start-error.ts';

let root: string;
let template: URL;
let dataDir: string;
let next = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'embedded template '));
  template = pathToFileURL(join(root, 'template'));
  await makeTemplate(join(root, 'template'));
});

afterAll(() => rm(root, { recursive: true, force: true }));

beforeEach(async () => {
  dataDir = join(root, String(next++));
  await mkdir(dataDir);
});

async function withDatabase<Result>(use: (pglite: PGlite) => Promise<Result>): Promise<Result> {
  const pglite = await openEmbedded(dataDir, 'full', () => template);
  try {
    return await use(pglite);
  } finally {
    await pglite.close();
  }
}

/** The tables, outside of PostgreSQL's own schemas, that have rows. */
async function filledTables(pglite: PGlite): Promise<string[]> {
  const { rows } = await pglite.query<{ name: string }>(
    `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables order by 1`,
  );
  const filled: string[] = [];
  for (const { name } of rows) {
    if ((await pglite.query(`select 1 from ${name} limit 1`)).rows.length > 0) filled.push(name);
  }
  return filled;
}

describe('a database made from the template', () => {
  it('is migrated, has nothing of anybody, and no schedule whose time is past', async () => {
    await withDatabase(async pglite => {
      const database = await openDatabase({ pglite }, []);
      expect(await migrate(database)).toEqual([]);
      await database.close();
      const migrated = [
        'public.log_roll_up',
        'public.migrations',
        'public.otp_recipients',
        'public.otps',
        'public.readiness',
      ];
      expect(await filledTables(pglite)).toEqual(['pgboss.queue', 'pgboss.version', ...migrated]);
      const { rows } = await pglite.query<{ account_id: string }>('select account_id from otps');
      expect(rows, 'the decoy alone').toEqual([{ account_id: '00000000-0000-0000-0000-000000000000' }]);
    });
  });

  it('is private, whoever made the template', () => {
    const directory = join(dataDir, 'unpacked');
    unpackEmbedded(template, directory);
    const modes = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map(
      name => statSync(join(directory, name)).mode & 0o777,
    );
    expect(new Set(modes)).toEqual(new Set([0o700, 0o600]));
  });

  it('is alone in its folder, and never made again', async () => {
    await withDatabase(pglite => pglite.exec('create table kept ()'));
    expect(await readdir(dataDir)).toEqual(['database']);
    await withDatabase(pglite => pglite.query('select from kept'));
  });

  it('is made anew after one that was broken off', async () => {
    await mkdir(join(dataDir, 'database.unfinished', 'base'), { recursive: true });
    await withDatabase(pglite => pglite.query('select from messages'));
    expect(await readdir(dataDir)).toEqual(['database']);
  });

  it('is none, not half of one, if the template is damaged', async () => {
    const damaged = join(root, 'damaged');
    await writeFile(damaged, 'no template');
    await expect(openEmbedded(dataDir, 'full', () => pathToFileURL(damaged))).rejects.toThrow(StartError);
    expect(await readdir(dataDir)).toEqual([]);
  });
});

it('a build without a template makes the database from nothing', async () => {
  const pglite = await openEmbedded(dataDir, 'relaxed', () => pathToFileURL(join(root, 'missing')));
  await pglite.query('select');
  await pglite.close();
  expect(await readdir(dataDir)).toContain('database');
});

it('what a relaxed process wrote is synced once by the next durable one', async () => {
  await (await openEmbedded(dataDir, 'relaxed', () => template)).close();
  expect((await readdir(dataDir)).sort()).toEqual(['database', 'database.relaxed']);
  await withDatabase(pglite => pglite.query('select from messages'));
  expect(await readdir(dataDir)).toEqual(['database']);
});
