import { expect, test } from 'vitest';
import type { Ctx } from '../../../../src/context.ts';
import { runSql } from '../../../../src/db/statements/sql.ts';
import { hashToken, newPassword } from '../../../../src/kernel/crypto/secrets.ts';
import { newId, toUuid } from '../../../../src/kernel/ids.ts';
import { DashboardUser } from '../../../../src/modules/accounts/people/dashboard-user.entity.ts';
import { sealSecret, spendCode } from '../../../../src/modules/accounts/second-factor/spend-code.ts';
import { newSecret } from '../../../../src/modules/accounts/second-factor/totp.ts';
import { describePostgres } from '../../../support/databases/database.ts';
import { setUpAccount, setUpServices } from '../../../support/fixtures.ts';
import { codeOf } from '../../../support/people/second-factor.ts';
import { createTestCtx, openTestDatabase } from '../../../support/services.ts';

const on = setUpServices();
const account = setUpAccount(on);
const TRIES = 1_000;

type Use = (em: Ctx['em'], ctx: Ctx, user: DashboardUser, code: string) => Promise<boolean>;

/** A person whose second factor is on, with one recovery code. */
async function personWith(secret: string, recoveryCode: string): Promise<DashboardUser> {
  const [em, id] = [on.services.database.fork(), newId('usr')];
  const { keyId, sealed } = sealSecret(on.services.keys, id, secret);
  const user = em.create(DashboardUser, {
    id,
    accountId: account.accountId,
    email: `${id}@people.example`,
    role: 'owner',
    passwordHash: 'none',
    secondFactor: sealed,
    secondFactorKeyId: keyId,
    secondFactorSince: new Date(),
    secondFactorStep: 0,
    recoveryCodes: [hashToken(recoveryCode.replaceAll('-', '')).toString('hex')],
    createdAt: new Date(),
  });
  await em.flush();
  return user;
}

/** Uses one code at once by two processes, and answers how often it was right. */
async function race(use: Use, user: DashboardUser, code: string): Promise<number> {
  const second = await openTestDatabase(on.testDatabase);
  const processes = [on.services, { ...on.services, database: second }];
  try {
    const outcomes = await Promise.all(
      Array.from({ length: TRIES }, (_, index) => {
        const ctx = createTestCtx(processes[index % 2] ?? on.services, { kind: 'anonymous' });
        return ctx.em.transactional(em => use(em, ctx, user, code));
      }),
    );
    return outcomes.filter(Boolean).length;
  } finally {
    await second.close();
  }
}

/** A faulty variant that looks first and changes afterwards: the first two have looked before one of them changes anything. */
function lookFirst(): Use {
  let looks = 0;
  const twoLooked = Promise.withResolvers<void>();
  return async (em, _ctx, user, code) => {
    const [sql, id, hash] = [em.getKysely(), toUuid(user.id), hashToken(code.replaceAll('-', '')).toString('hex')];
    const find = 'select from dashboard_users where id = $1 and $2 = any(recovery_codes)';
    const isRight = (await runSql(sql, find, [id, hash])).length > 0;
    looks += 1;
    if (looks === 2) twoLooked.resolve();
    await twoLooked.promise;
    if (!isRight) return false;
    const remove = 'update dashboard_users set recovery_codes = array_remove(recovery_codes, $2::text) where id = $1';
    await runSql(sql, remove, [id, hash]);
    return true;
  };
}

describePostgres('a thousand who use one code at once, by two processes', () => {
  test('a recovery code is right for one', async () => {
    const code = newPassword();
    expect(await race(spendCode, await personWith(newSecret(), code), code)).toBe(1);
  });

  test('a code of the app is right for one', async () => {
    const secret = newSecret();
    expect(await race(spendCode, await personWith(secret, newPassword()), codeOf(secret))).toBe(1);
  });

  test('a recovery code is right for more where it is looked at first', async () => {
    const code = newPassword();
    expect(await race(lookFirst(), await personWith(newSecret(), code), code)).toBeGreaterThan(1);
  });
});
