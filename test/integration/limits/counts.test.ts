import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entities } from '../../../mikro-orm.config.ts';
import type { Actor, Services } from '../../../src/context.ts';
import { type Database, openDatabase } from '../../../src/db/orm.ts';
import { AppError } from '../../../src/kernel/errors.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { countRequest, type Limit } from '../../../src/modules/limits/count-requests.ts';
import { limitRequests } from '../../../src/modules/limits/limit-requests.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { createTestCtx, createTestServices, makeAccount, type TestServices } from '../../support/services.ts';

let t: TestServices;
let processes: Database[] = [];
/** How often each process has asked the database. */
let asked: number[] = [];

beforeAll(async () => {
  t = await createTestServices();
  processes = await Promise.all([openProcess(0), openProcess(1)]);
});
afterAll(async () => {
  for (const database of processes) await database.close();
  await t.close();
});

function openProcess(index: number): Promise<Database> {
  const { testDatabase } = t;
  asked[index] = 0;
  return openDatabase(
    testDatabase.kind === 'postgres' ? { url: testDatabase.url, poolSize: 8 } : { pglite: testDatabase.pglite },
    entities,
    {
      grouped: true,
      onCommit: () => {
        asked = asked.with(index, (asked[index] ?? 0) + 1);
      },
    },
  );
}

function process(index: number): Database {
  const database = processes[index];
  if (!database) throw new Error('there are two processes');
  return database;
}

/** A bucket that fills so slowly that nothing comes into it while a test runs. */
const still = (quota: number): Limit => ({ name: 'requests', quota, secondsEach: 3_600, windowSeconds: 1 });

const quotas = fc.integer({ min: 1, max: 40 });
const asks = (quota: number) =>
  fc.array(fc.record({ count: fc.integer({ min: 1, max: quota }), by: fc.integer({ min: 0, max: 1 }) }), {
    minLength: 1,
    maxLength: 40,
  });
const cases = quotas.chain(quota => fc.record({ quota: fc.constant(quota), asks: asks(quota) }));

describe('requests that count for several', () => {
  test('one after the other over two processes, are admitted if and only if they fit', async () => {
    await assertProperty(
      fc.asyncProperty(cases, async ({ quota, asks }) => {
        const callerId = randomUUID();
        let room = quota;
        for (const { count, by } of asks) {
          const { isAdmitted, remaining } = await countRequest(process(by), {
            callerId,
            kind: 'requests',
            limit: still(quota),
            count,
          });
          expect(isAdmitted).toBe(count <= room);
          if (isAdmitted) room -= count;
          // The count that a process remembers may be older than the use by the other.
          if (isAdmitted) expect(remaining).toBe(room);
        }
      }),
      { numRuns: rounds({ usual: 60, long: 200 }) },
    );
  });

  test('all at once over two processes, are never more than fit, and none is refused that would still fit', async () => {
    await assertProperty(
      fc.asyncProperty(cases, async ({ quota, asks }) => {
        const callerId = randomUUID();
        const told = await Promise.all(
          asks.map(({ count, by }) =>
            countRequest(process(by), { callerId, kind: 'requests', limit: still(quota), count }),
          ),
        );
        const sum = asks.reduce((total, { count }, index) => total + (told[index]?.isAdmitted ? count : 0), 0);
        expect(sum).toBeLessThanOrEqual(quota);
        const refused = asks.filter((_ask, index) => !told[index]?.isAdmitted);
        for (const { count } of refused) expect(count).toBeGreaterThan(quota - sum);
      }),
      { numRuns: rounds({ usual: 60, long: 200 }) },
    );
  });

  test('are refused with the time until all of them fit', async () => {
    const limit: Limit = { name: 'requests', quota: 10, secondsEach: 100, windowSeconds: 1 };
    const callerId = randomUUID();
    const ask = (count: number) => countRequest(process(0), { callerId, kind: 'requests', limit, count });
    await ask(8);
    const { isAdmitted, nextInSeconds } = await ask(5);
    expect([isAdmitted, Math.ceil(nextInSeconds)]).toEqual([false, 300]);
  });

  test('leave room for those that count for less', async () => {
    const callerId = randomUUID();
    const ask = (count: number) => countRequest(process(0), { callerId, kind: 'requests', limit: still(10), count });
    const told = await Promise.all([ask(8), ask(5), ask(3), ask(1)]);
    expect(told.map(({ isAdmitted }) => isAdmitted)).toEqual([false, true, true, true]);
  });
});

describe('1,000 concurrent operations over two processes', () => {
  /** The holder of a token of an account with this rate, and how long the database says it took to ask. */
  async function admitted(rateLimit: number, count: number): Promise<{ admitted: number; seconds: number }> {
    const { grant } = await makeAccount(t, { rateLimit });
    const actor: Actor = { kind: 'token', tokenId: newId('tok'), area: 'unified', account: grant };
    const services = processes.map((database): Services => ({ ...t.services, database }));
    const startedAt = await databaseSeconds();
    const told = await Promise.all(
      Array.from({ length: 1_000 }, async (_, index) => {
        const ctx = createTestCtx(services[index % 2] ?? t.services, actor);
        return limitRequests(ctx, count).then(
          () => true,
          (error: unknown) => {
            if (error instanceof AppError && error.code === 'rate_limited') return false;
            throw error;
          },
        );
      }),
    );
    const seconds = (await databaseSeconds()) - startedAt;
    return { admitted: told.filter(Boolean).length * count, seconds };
  }

  async function databaseSeconds(): Promise<number> {
    const [row] = await t.sql<{ seconds: number }>('select extract(epoch from clock_timestamp())::float8 as seconds');
    return row?.seconds ?? Number.NaN;
  }

  test.each([1, 3, 10])('of %i root fields are as many as the burst and what came in since', async count => {
    const { admitted: sum, seconds } = await admitted(100, count);
    expect(sum).toBeGreaterThan(200 - count);
    expect(sum).toBeLessThanOrEqual(200 + Math.floor(100 * seconds));
  });
});

describe('a bucket that refused', () => {
  const limit = still(1);

  /** Empties a bucket, is refused once, and answers how to ask again. */
  async function emptied(): Promise<() => Promise<boolean>> {
    const callerId = randomUUID();
    const ask = async () => {
      const { isAdmitted } = await countRequest(process(0), { callerId, kind: 'requests', limit, count: 1 });
      return isAdmitted;
    };
    expect([await ask(), await ask()]).toEqual([true, false]);
    return ask;
  }

  test('refuses a flood without asking the database more than once a second', async () => {
    const ask = await emptied();
    const [before = 0] = asked;
    const startedMs = performance.now();
    for (let count = 0; count < 5_000; count++) expect(await ask()).toBe(false);
    const [after = 0] = asked;
    expect(after - before).toBeLessThanOrEqual(Math.ceil((performance.now() - startedMs) / 1_000));
  });

  test('is asked again as soon as the limit of the account is another', async () => {
    const callerId = randomUUID();
    const ask = (quota: number) =>
      countRequest(process(0), { callerId, kind: 'requests', limit: still(quota), count: 1 });
    await ask(1);
    await ask(1);
    expect((await ask(2)).isAdmitted).toBe(true);
  });

  test('never admits what another process has taken', async () => {
    const callerId = randomUUID();
    const ask = (by: number) => countRequest(process(by), { callerId, kind: 'requests', limit: still(2), count: 1 });
    await ask(0);
    await ask(1);
    expect((await ask(0)).isAdmitted).toBe(false);
  });

  test('lets in what comes into it, as soon as it does', async () => {
    const callerId = randomUUID();
    const limit: Limit = { name: 'requests', quota: 1, secondsEach: 0.2, windowSeconds: 60 };
    const ask = () => countRequest(process(0), { callerId, kind: 'requests', limit, count: 1 });
    await ask();
    const { nextInSeconds, askedAtMs } = await ask();
    let isAdmitted = false;
    while (!isAdmitted) ({ isAdmitted } = await ask());
    const waitedSeconds = (performance.now() - askedAtMs) / 1_000;
    expect(waitedSeconds).toBeGreaterThanOrEqual(nextInSeconds - 0.001);
    // A refusal that is remembered for the whole window would keep it out for a minute.
    expect(waitedSeconds).toBeLessThan(nextInSeconds + 20);
  });
});
