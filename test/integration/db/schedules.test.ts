import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Apply, type Batch, defineStatementBatch } from '../../../src/db/batch.ts';
import { LiveReading } from '../../../src/db/feeds/live-reading.ts';
import type { Database } from '../../../src/db/orm.ts';
import { AppError } from '../../../src/kernel/errors.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { createAuthenticator } from '../../../src/modules/accounts/authenticate.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';

/** How many schedules are tried: each waits for turns of the event loop or for a database. */
const RUNS = rounds({ usual: 60, long: 500 });

/** What is broken on purpose is found out within so many schedules. */
const BROKEN_RUNS = 300;

const t = setUpServices();
const account = setUpAccount(t);

/** What schedules say of a property that breaks a rule. */
async function expectFound<Ts>(property: fc.IAsyncProperty<Ts>, fault: RegExp): Promise<void> {
  const { failed, errorInstance } = await fc.check(property, { numRuns: BROKEN_RUNS, endOnFailure: true });
  expect([failed, String(errorInstance)]).toEqual([true, expect.stringMatching(fault)]);
}

describe('items of a batch, in any order', () => {
  type Make = (apply: Apply<number, number>, isSerial: boolean) => Batch<number, number>;

  const batchOf: Make = (apply, isSerial) => defineStatementBatch('scheduled', apply, { isSerial })(t.database);

  const propertyOf = (make: Make) =>
    fc.asyncProperty(
      fc.scheduler(),
      fc.boolean(),
      fc.integer({ min: 1, max: 12 }),
      async (scheduler, isSerial, count) => {
        const most = isSerial || t.database.engine.kind === 'pglite' ? 1 : 2;
        const applied: number[] = [];
        let underWay = 0;
        const batch = make(async (_sql, items) => {
          underWay += 1;
          if (underWay > most) throw new Error('too many groups are under way');
          applied.push(...items);
          await scheduler.schedule(Promise.resolve(), `commit of ${items.length}`);
          underWay -= 1;
          return items.map(item => (item % 5 === 4 ? new AppError('not_found') : item * 2));
        }, isSerial);
        const calls = Array.from({ length: count }, async (_, item) => {
          await scheduler.schedule(Promise.resolve(), `item ${item}`);
          const heard = await batch(item).catch((error: unknown) =>
            error instanceof AppError ? error.code : String(error),
          );
          if (heard !== (item % 5 === 4 ? 'not_found' : item * 2)) throw new Error(`item ${item} heard ${heard}`);
        });
        await scheduler.waitFor(Promise.all(calls));
        expect(applied.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, item) => item));
      },
    );

  test(
    'are applied once each, hear of themselves alone, and are in no more groups than may be under way',
    async () => {
      await assertProperty(propertyOf(batchOf), { numRuns: RUNS });
    },
    60_000 + RUNS * 500,
  );

  test('are found out where groups are not held back', () =>
    expectFound(
      propertyOf(apply => async item => {
        const [result] = await apply(t.database.prepared.sql(), [item], '', t.database);
        if (result instanceof Error) throw result;
        return result ?? Number.NaN;
      }),
      /too many groups|heard/,
    ));

  test('are found out where results are handed out in another order', () =>
    expectFound(
      propertyOf((apply, isSerial) =>
        batchOf(async (sql, items, by, database) => (await apply(sql, items, by, database)).toReversed(), isSerial),
      ),
      /heard/,
    ));
});

describe('readings of what seldom changes, in any order', () => {
  interface Readings {
    refresh(): Promise<void>;
    close(): Promise<void>;
  }
  type Open = (read: () => Promise<void>) => Promise<Readings>;

  const openLive: Open = async read => {
    const reading = new LiveReading({
      // Nothing is announced: whoever changes something asks for a reading.
      database: { ...t.database, listen: async () => async () => undefined },
      channel: 'heliograph_test',
      read,
      onError: () => undefined,
    });
    await reading.open();
    return reading;
  };

  const propertyOf = (open: Open) =>
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 8 }), async (scheduler, changes) => {
      let [stored, kept, underWay] = [0, 0, 0];
      let isOpen = false;
      const reading = await open(async () => {
        underWay += 1;
        if (underWay > 1) throw new Error('two readings are under way');
        const found = stored;
        if (isOpen) await scheduler.schedule(Promise.resolve(), 'reading');
        kept = found;
        underWay -= 1;
      });
      isOpen = true;
      const all = Array.from({ length: changes }, async (_, index) => {
        await scheduler.schedule(Promise.resolve(), `change ${index}`);
        stored += 1;
        const mine = stored;
        await reading.refresh();
        if (kept < mine) throw new Error(`change ${mine} is not known: ${kept}`);
      });
      await scheduler.waitFor(Promise.all(all));
      await reading.close();
    });

  test('know of every change that was made before they were asked for, one reading at a time', async () => {
    await assertProperty(propertyOf(openLive), { numRuns: RUNS });
  });

  test('are found out where a call joins the reading that is under way', () => {
    const joining: Open = async read => {
      let underWay: Promise<void> | null = null;
      await read();
      return {
        refresh() {
          underWay ??= read().finally(() => {
            underWay = null;
          });
          return underWay;
        },
        close: async () => undefined,
      };
    };
    return expectFound(propertyOf(joining), /is not known/);
  });

  test('are found out where each call reads by itself', () =>
    expectFound(
      propertyOf(async read => {
        await read();
        return { refresh: read, close: async () => undefined };
      }),
      /two readings are under way/,
    ));
});

describe('tokens that are revoked while they are looked up, in any order', () => {
  interface Cache {
    /** Whether a token opens anything. */
    knows(token: string): Promise<boolean>;
    forget(): void;
  }
  type Open = (database: Database) => Cache;

  const openCache: Open = database => {
    const authenticator = createAuthenticator(database, null);
    return {
      knows: token =>
        authenticator.authenticate(`Bearer ${token}`).then(
          () => true,
          () => false,
        ),
      forget: () => authenticator.forget(),
    };
  };

  const propertyOf = (open: Open) =>
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 5 }), async (scheduler, looks) => {
      const token = await account.token('unified');
      // The answers of the database come in any order.
      const database: Database = {
        ...t.database,
        sql: signal => {
          const sql = t.database.sql(signal);
          return {
            executeQuery: async query => {
              const result = await sql.executeQuery(query);
              await scheduler.schedule(Promise.resolve(), 'answer');
              return result;
            },
          };
        },
      };
      const cache = open(database);
      let isRevoked = false;
      const revoking = (async () => {
        await scheduler.schedule(Promise.resolve(), 'revoke');
        await t.sql('update tokens set revoked_at = now() where account_id = $1 and revoked_at is null', [
          toUuid(account.accountId),
        ]);
        // As the notice does that comes with the commit.
        cache.forget();
        isRevoked = true;
      })();
      const looking = Array.from({ length: looks }, async (_, index) => {
        await scheduler.schedule(Promise.resolve(), `look ${index}`);
        const wasRevoked = isRevoked;
        const isKnown = await cache.knows(token);
        if (wasRevoked && isKnown) throw new Error('a revoked token opens');
      });
      await scheduler.waitFor(Promise.all([revoking, ...looking]));
      expect(await scheduler.waitFor(cache.knows(token))).toBe(false);
    });

  test(
    'open nothing once it is announced',
    async () => {
      await assertProperty(propertyOf(openCache), { numRuns: RUNS });
    },
    60_000 + RUNS * 500,
  );

  test('are found out where a late answer is kept', () => {
    const keepingLate: Open = database => {
      const authenticator = createAuthenticator(database, null);
      const kept = new Map<string, boolean>();
      return {
        async knows(token) {
          const known = kept.get(token);
          if (known !== undefined) return known;
          const isKnown = await openCache(database).knows(token);
          kept.set(token, isKnown);
          return isKnown;
        },
        forget() {
          kept.clear();
          authenticator.forget();
        },
      };
    };
    return expectFound(propertyOf(keepingLate), /a revoked token opens|expected true to be false/);
  });
});
