import { expect, test } from 'vitest';
import type { Ctx } from '../../../../src/context.ts';
import { runSql } from '../../../../src/db/statements/sql.ts';
import { guardSignIn, TRIES } from '../../../../src/modules/accounts/sign-in/guard-sign-in.ts';
import { describePostgres } from '../../../support/databases/database.ts';
import { setUpServices } from '../../../support/fixtures.ts';
import { emailKey } from '../../../support/people/people.ts';
import { createTestCtx, openTestDatabase } from '../../../support/services.ts';

const on = setUpServices();
const GUESSES = 1_000;

type Guard = (ctx: Ctx, email: string, compare: () => Promise<null>) => Promise<unknown>;

/** Guesses at once by two processes, each from an address of its own; answers how many passwords were compared. */
async function race(email: string, guard: Guard): Promise<number> {
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
        const ctx = createTestCtx(processes[index % 2] ?? on.services, { kind: 'anonymous' });
        const clientAddress = `10.0.${Math.floor(index / 250)}.${index % 250}`;
        return guard({ ...ctx, request: { ...ctx.request, clientAddress } }, email, compare);
      }),
    );
  } finally {
    await second.close();
  }
  return compared;
}

const guarded: Guard = (ctx, email, compare) => guardSignIn(ctx, { email, user: null }, compare);

/** What the guard would be if it counted after it had compared. */
const countedAfterwards: Guard = async (ctx, email, compare) => {
  const [sql, key] = [ctx.services.database.sql(), emailKey(email)];
  const [row] = await runSql<{ failures: number }>(sql, 'select failures from sign_in_guards where key = $1', [key]);
  if ((row?.failures ?? 0) >= TRIES.email) throw new Error('refused');
  await compare();
  await runSql(
    sql,
    `insert into sign_in_guards as g values ($1, 1, now() + interval '15 minutes') on conflict (key) do update set failures = g.failures + 1`,
    [key],
  );
};

describePostgres('a thousand guesses at once, by two processes', () => {
  test('compare five passwords', async () => {
    expect(await race('guarded@people.example', guarded)).toBe(TRIES.email);
  });

  test('compare more where they are counted afterwards', async () => {
    expect(await race('unguarded@people.example', countedAfterwards)).toBeGreaterThan(TRIES.email);
  });
});
