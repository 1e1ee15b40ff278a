import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { entities } from '../../../mikro-orm.config.ts';
import { openEmbedded } from '../../../src/db/embedded/embedded.ts';
import { type TidyLimits, tidyEmbedded } from '../../../src/db/embedded/tidy-embedded.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { type Database, openDatabase } from '../../../src/db/orm.ts';
import { runSql } from '../../../src/db/statements/sql.ts';

/** The log grows for some rounds, to its bound, and has to stay there for the rest. A log that nobody tidies grows from the first on. */
const ROUNDS = { tidied: 16, left: 9 };
const LAST = 7;

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

let migrated: string;
beforeAll(async () => {
  migrated = await mkdtemp(join(tmpdir(), 'heliograph-tidy-'));
  const { database, close } = await open(migrated);
  await migrate(database);
  await close();
});
afterAll(() => rm(migrated, { recursive: true, force: true }));

async function open(dataDir: string) {
  const pglite = await openEmbedded(dataDir, 'relaxed');
  const database = await openDatabase({ pglite }, entities);
  const close = async (): Promise<void> => {
    await database.close();
    await pglite.close();
  };
  return { database, close };
}

/** An embedded database of its own, migrated, with its files. */
async function openOwn(): Promise<{ database: Database; size: () => Promise<number>; run: Run }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'heliograph-tidy-'));
  undo.push(() => rm(dataDir, { recursive: true, force: true }));
  await cp(migrated, dataDir, { recursive: true });
  const { database, close } = await open(dataDir);
  undo.push(close);
  return {
    database,
    size: () => sizeOf(join(dataDir, 'database')),
    run: (text, parameters = []) => runSql(database.sql(), text, parameters),
  };
}

type Run = <Row>(text: string, parameters?: readonly unknown[]) => Promise<Row[]>;

/** The size of the files of a folder, in MiB. */
async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes / 1024 / 1024;
}

/** Three thousand references come, are answered, and go; nothing is left of them but what they leave behind. */
async function churn(run: Run): Promise<void> {
  await run(
    `insert into idempotency_keys (account_id, area, reference, fingerprint, message_id, expires_at)
     select gen_random_uuid(), 'unified', 'r' || n, repeat('f', 64), gen_random_uuid(), now() from generate_series(1, 3000) n`,
  );
  await run(`update idempotency_keys set answer = json_build_object('message', repeat('x', 200))`);
  await run('delete from idempotency_keys');
}

/** A quarter of the log that a gateway lets grow, which is reached in a quarter of the rounds. */
const SHORT_LOG: Partial<TidyLimits> = { logBytes: 16 * 1024 * 1024 };

/** No turn ends for want of time: how fast this machine is, is not what is asked. */
const UNHURRIED: Partial<TidyLimits> = { turnMs: Number.POSITIVE_INFINITY };

async function sizes(tidies: boolean): Promise<number[]> {
  const { database, size, run } = await openOwn();
  const found: number[] = [];
  for (let round = 0; round < ROUNDS[tidies ? 'tidied' : 'left']; round++) {
    await churn(run);
    if (tidies) await tidyEmbedded(database, { ...UNHURRIED, ...SHORT_LOG });
    found.push(await size());
  }
  return found;
}

describe(`${ROUNDS.tidied} rounds of rows that come and go`, () => {
  test(`leave the files of the embedded database as large as ${ROUNDS.tidied - LAST} did`, async () => {
    const tidied = await sizes(true);
    const left = await sizes(false);
    process.stdout.write(
      `MiB after each round, tidied: ${tidied.map(Math.round).join(' ')}\nleft alone: ${left.map(Math.round).join(' ')}\n`,
    );
    const growth = (found: readonly number[]): number => (found.at(-1) ?? 0) - (found.at(-1 - LAST) ?? 0);
    expect(growth(tidied)).toBeLessThan(1);
    expect(growth(left)).toBeGreaterThan(20);
  }, 300_000);
});

describe('a turn', () => {
  test('vacuums what is due, whatever its schema, and leaves the rest alone', async () => {
    const { database, run } = await openOwn();
    await run('create schema elsewhere');
    for (const name of ['elsewhere.busy', 'elsewhere.quiet']) {
      await run(`create table ${name} as select n from generate_series(1, 2000) n`);
    }
    await tidyEmbedded(database, UNHURRIED);
    await run('delete from elsewhere.busy');
    await run('delete from elsewhere.quiet where n = 1');
    const turn = await tidyEmbedded(database, UNHURRIED);
    expect(turn?.vacuumed).toContain('elsewhere.busy');
    expect(turn?.vacuumed).not.toContain('elsewhere.quiet');
    await expect(tidyEmbedded(database, UNHURRIED)).resolves.toEqual({
      vacuumed: [],
      frozen: false,
      checkpointed: false,
    });
  });

  test('ends after one table when its time is over, and the next goes on', async () => {
    const { database, run } = await openOwn();
    await tidyEmbedded(database, UNHURRIED);
    for (const [name, rows] of [
      ['small', 2_000],
      ['large', 4_000],
    ] as const) {
      await run(`create table ${name} as select n from generate_series(1, ${rows}) n`);
      await run(`delete from ${name}`);
    }
    const turns = [await tidyEmbedded(database, { turnMs: -1 }), await tidyEmbedded(database, { turnMs: -1 })];
    expect(turns.map(turn => turn?.vacuumed)).toEqual([['public.large'], ['public.small']]);
  });

  test('freezes what is old, in every database of it, so that the count of transactions never runs out', async () => {
    const { database, run } = await openOwn();
    const oldest = async () =>
      (await run<{ age: number }>('select max(age(datfrozenxid)) as age from pg_database'))[0]?.age ?? 0;
    for (let one = 0; one < 200; one++) await run('select pg_current_xact_id()');
    expect(await oldest()).toBeGreaterThan(200);
    await expect(tidyEmbedded(database, { ...UNHURRIED, age: 100 })).resolves.toMatchObject({ frozen: true });
    expect(await oldest()).toBeLessThan(100);
  });

  test('cuts the log when it has grown', async () => {
    const { database, run } = await openOwn();
    await tidyEmbedded(database, UNHURRIED);
    await run('create table written as select n from generate_series(1, 10000) n');
    await expect(tidyEmbedded(database, UNHURRIED)).resolves.toMatchObject({ checkpointed: false });
    await expect(tidyEmbedded(database, { ...UNHURRIED, logBytes: 100_000 })).resolves.toMatchObject({
      checkpointed: true,
    });
    await expect(tidyEmbedded(database, { ...UNHURRIED, logBytes: 100_000 })).resolves.toMatchObject({
      checkpointed: false,
    });
  });
});
