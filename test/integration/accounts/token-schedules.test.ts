import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../../src/db/orm.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { createAuthenticator } from '../../../src/modules/accounts/authenticate.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { assertProperty, expectFound } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';

/** How many schedules are tried: each asks a database. */
const RUNS = rounds({ usual: 60, long: 500 });

const t = setUpServices();
const account = setUpAccount(t);

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
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 5 }), fc.boolean(), async (scheduler, looks, isLate) => {
      const token = await account.token('unified');
      const asked: Promise<unknown>[] = [];
      // The answers of the database come in any order.
      const database: Database = {
        ...t.database,
        sql: signal => {
          const sql = t.database.sql(signal);
          return {
            executeQuery: query => {
              const answer = sql.executeQuery(query);
              asked.push(answer);
              return scheduler.schedule(answer, 'answer');
            },
          };
        },
      };
      const cache = open(database);
      let isRevoked = false;
      // One step: nothing else goes on until it is committed and announced.
      const revoke = async () => {
        // Else the database may always be faster with this than with what was asked before.
        if (isLate) await setImmediate().then(() => Promise.allSettled(asked));
        await t.sql('update tokens set revoked_at = now() where account_id = $1 and revoked_at is null', [
          toUuid(account.accountId),
        ]);
        cache.forget();
        isRevoked = true;
      };
      const { task: revoking } = scheduler.scheduleSequence([{ builder: revoke, label: 'revoke' }]);
      const looking = Array.from({ length: looks }, async (_, index) => {
        await scheduler.schedule(Promise.resolve(), `look ${index}`);
        const wasRevoked = isRevoked;
        const isKnown = await cache.knows(token);
        if (wasRevoked && isKnown) throw new Error('a revoked token opens');
      });
      try {
        await scheduler.waitFor(Promise.all([revoking, ...looking]));
        expect(await scheduler.waitFor(cache.knows(token))).toBe(false);
      } finally {
        // After a failure nobody takes what was asked meanwhile, and the database is about to close.
        await setImmediate();
        await Promise.allSettled(asked);
      }
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
