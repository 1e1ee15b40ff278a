import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { newId } from '../../../src/kernel/ids.ts';
import { takeTurn, takeTurnsIn } from '../../../src/modules/connections/turns/take-turn.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { openTestDatabase } from '../../support/services.ts';

/** Turns last 10 ms: nine tenths of this pace. */
const PER_SECOND = 1_000 / 9;
const TURN_MS = 10;

const on = setUpServices();
const signal = new AbortController().signal;

let connectionId: string;

beforeEach(() => {
  connectionId = newId('con');
});

/** How far off the next turn is, in milliseconds. */
async function nextIn(id = connectionId): Promise<number> {
  const [row] = await on.sql<{ ms: number }>(
    'select extract(epoch from next_at - clock_timestamp())::float8 * 1000 as ms from number_turns where number = $1',
    [id],
  );
  return row?.ms ?? 0;
}

const take = (database = on.database, id = connectionId) => takeTurn(database, id, PER_SECOND, signal);

/** Takes turns until the next one is too far off. */
async function fill(): Promise<void> {
  for (let seconds = 0; seconds < 6; seconds++) await takeTurnsIn(on.database, connectionId, PER_SECOND, 100);
}

test('turns come one after another, however many ask at once', async () => {
  const startedMs = performance.now();
  await expect(Promise.all(Array.from({ length: 20 }, () => take()))).resolves.toEqual(Array(20).fill(true));
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(19 * TURN_MS - 2);
});

test('a turn that is near is used without a wait', async () => {
  await takeTurnsIn(on.database, connectionId, PER_SECOND, 1);
  await expect(takeTurn(on.database, connectionId, PER_SECOND, AbortSignal.abort())).resolves.toBe(true);
});

test('messages that came in take turns, too', async () => {
  await takeTurnsIn(on.database, connectionId, PER_SECOND, 100);
  expect(await nextIn()).toBeGreaterThan(50 * TURN_MS);
});

test('a flood of them holds nobody up for longer than a second', async () => {
  await takeTurnsIn(on.database, connectionId, PER_SECOND, 100_000);
  expect(await nextIn()).toBeLessThan(1_200);
});

test('a turn that is too far off is not taken, and takes nobody else his', async () => {
  await fill();
  const before = await nextIn();
  await expect(take()).resolves.toBe(false);
  expect(await nextIn()).toBeLessThanOrEqual(before);
});

test('nobody waits for longer than the bound, also as the last of many', async () => {
  await takeTurnsIn(on.database, connectionId, 10, 10);
  const turns = await Promise.all(
    Array.from({ length: 60 }, () =>
      takeTurn(on.database, connectionId, 10, AbortSignal.timeout(1)).catch(() => 'waits'),
    ),
  );
  expect(turns).toContain(false);
  expect(turns).toContain('waits');
});

test('turns that nobody of many takes are left to those who come later', async () => {
  const turns = Array.from({ length: 600 }, () =>
    takeTurn(on.database, connectionId, PER_SECOND, AbortSignal.timeout(1)).catch(() => 'waits'),
  );
  expect(await Promise.all(turns)).toContain(false);
  expect(await nextIn()).toBeLessThan(4_300);
});

test('numbers do not wait for each other', async () => {
  await fill();
  await expect(take(on.database, newId('con'))).resolves.toBe(true);
});

test('a wait ends with its signal', async () => {
  await takeTurnsIn(on.database, connectionId, PER_SECOND, 100);
  const controller = new AbortController();
  const turn = takeTurn(on.database, connectionId, PER_SECOND, controller.signal);
  controller.abort(new Error('over'));
  await expect(turn).rejects.toThrow();
});

describe('a database whose commits take longer than a turn may be late', () => {
  /** Lets so many commits of turns be slow from now on. */
  async function slowDown(commits: number): Promise<void> {
    await on.sql('create sequence turns_taken');
    await on.sql(`create function slow_turn() returns trigger language plpgsql as
      'begin perform pg_sleep(0.1) where nextval(''turns_taken'') <= ${commits}; return null; end'`);
    await on.sql(`create constraint trigger slow_turn after insert or update on number_turns
      deferrable initially deferred for each row execute function slow_turn()`);
    onTestFinished(async () => {
      await on.sql('drop function slow_turn cascade');
      await on.sql('drop sequence turns_taken');
    });
  }

  const countTaken = async () => Number((await on.sql<{ n: number }>('select last_value as n from turns_taken'))[0]?.n);

  test('makes no turn later: one that its answer came too late for is taken anew', async () => {
    await slowDown(1);
    await expect(take()).resolves.toBe(true);
    expect(await countTaken()).toBe(2);
  });

  test('each time lets the second turn be used', async () => {
    await slowDown(100);
    await expect(take()).resolves.toBe(true);
    expect(await countTaken()).toBe(2);
  });
});

describePostgres('over several processes', () => {
  /** The promise: together they take no more turns than one would. */
  function expectOnePace(takenMs: number, turns: number): void {
    expect(takenMs).toBeGreaterThanOrEqual((turns - 1) * TURN_MS - 2);
  }

  test('they share one pace', async () => {
    const other = await openTestDatabase(on.testDatabase);
    try {
      const startedMs = performance.now();
      await Promise.all(Array.from({ length: 60 }, (_, index) => take(index % 2 === 0 ? on.database : other)));
      expectOnePace(performance.now() - startedMs, 60);
    } finally {
      await other.close();
    }
  });

  test('the same assertion catches a pace for each process', async () => {
    const [mine, theirs] = [newId('con'), newId('con')];
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        takeTurnsIn(on.database, index % 2 === 0 ? mine : theirs, PER_SECOND, 1),
      ),
    );
    const longest = Math.max(await nextIn(mine), await nextIn(theirs));
    expect(() => expectOnePace(Math.min(longest, 30 * TURN_MS), 60)).toThrow();
  });
});
