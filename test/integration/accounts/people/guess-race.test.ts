import { expect, test } from 'vitest';
import type { Ctx } from '../../../../src/context.ts';
import { runSql } from '../../../../src/db/statements/sql.ts';
import {
  type Count,
  countsOfDevice,
  countsOfSession,
  countsOfStrangers,
  guardSignIn,
  TRIES,
} from '../../../../src/modules/accounts/sign-in/guard-sign-in.ts';
import { describePostgres } from '../../../support/databases/database.ts';
import { setUpServices } from '../../../support/fixtures.ts';
import { createTestCtx, openTestDatabase } from '../../../support/services.ts';

const on = setUpServices();
const GUESSES = 1_000;

type Guard = (ctx: Ctx, counts: readonly Count[], compare: () => Promise<null>) => Promise<unknown>;

/** Guesses at once by two processes, each from an address of its own unless all have one; answers how many passwords were compared. */
async function race(
  guard: Guard,
  countsOf: (ctx: Ctx) => readonly Count[],
  addressOf: (index: number) => string = index => `10.0.${Math.floor(index / 250)}.${index % 250}`,
): Promise<number> {
  const second = await openTestDatabase(on.testDatabase);
  const processes = [on.services, { ...on.services, database: second }];
  let compared = 0;
  const compare = async (): Promise<null> => {
    compared += 1;
    return null;
  };
  try {
    await Promise.allSettled(
      Array.from({ length: GUESSES }, (_, index) => {
        const made = createTestCtx(processes[index % 2] ?? on.services, { kind: 'anonymous' });
        const ctx = made.with({ request: { ...made.request, clientAddress: addressOf(index) } });
        return guard(ctx, countsOf(ctx), compare);
      }),
    );
  } finally {
    await second.close();
  }
  return compared;
}

const guarded: Guard = (ctx, counts, compare) => guardSignIn(ctx, counts, null, compare);

/** A faulty variant of the guard that counts after it has compared. */
const countedAfterwards: Guard = async (ctx, counts, compare) => {
  const sql = ctx.services.database.sql();
  for (const { key, quota } of counts) {
    const [row] = await runSql<{ failures: number }>(sql, 'select failures from sign_in_guards where key = $1', [key]);
    if ((row?.failures ?? 0) >= quota) throw new Error('refused');
  }
  await compare();
  for (const { key } of counts)
    await runSql(
      sql,
      `insert into sign_in_guards as g values ($1, 1, now() + interval '15 minutes') on conflict (key) do update set failures = g.failures + 1`,
      [key],
    );
};

const device = (id: string) => ({ id, until: new Date(Date.now() + 86_400_000), isFor: () => true });

describePostgres('a thousand guesses at once, by two processes', () => {
  test('from one address compare five passwords', async () => {
    const countsOf = (ctx: Ctx) => countsOfStrangers(ctx, 'near@people.example');
    expect(await race(guarded, countsOf, () => '192.0.2.1')).toBe(TRIES.pair);
  });

  test('from a thousand addresses compare twenty passwords', async () => {
    expect(await race(guarded, ctx => countsOfStrangers(ctx, 'far@people.example'))).toBe(TRIES.person);
  });

  test('from one address for a thousand people compare twenty passwords', async () => {
    let person = 0;
    const countsOf = (ctx: Ctx) => countsOfStrangers(ctx, `${person++}@people.example`);
    expect(await race(guarded, countsOf, () => '192.0.2.2')).toBe(TRIES.address);
  });

  test('by a known device compare five passwords', async () => {
    expect(await race(guarded, () => countsOfDevice(device('stolen')))).toBe(TRIES.device);
  });

  test('by who is signed in compare five passwords', async () => {
    expect(await race(guarded, () => countsOfSession('usr_1'))).toBe(TRIES.session);
  });

  test('compare more where they are counted afterwards', async () => {
    const countsOf = (ctx: Ctx) => countsOfStrangers(ctx, 'unguarded@people.example');
    expect(await race(countedAfterwards, countsOf)).toBeGreaterThan(TRIES.person);
  });

  test('by a known device compare more where they are counted afterwards', async () => {
    const countsOf = () => countsOfDevice(device('unguarded'));
    expect(await race(countedAfterwards, countsOf)).toBeGreaterThan(TRIES.device);
  });
});
