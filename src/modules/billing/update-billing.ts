/** The verb *set the billing of an account*: from when on its balance is low, and how much it may spend in a day. */
import { z } from 'zod';
import { type Ctx, requireOperator } from '../../context.ts';
import { statement } from '../../db/statements/statement.ts';
import { noSuchAccount } from '../../kernel/errors.ts';
import { toUuid } from '../../kernel/ids.ts';
import { intBetween } from '../../kernel/input.ts';
import { changes, recordAudit } from '../audit/record-audit.ts';
import { type Balance, readAccountId, readBalance } from './balance.ts';
import { CREDITS_MAX } from './credits-max.ts';

/** The input of `updateBilling`: what is absent stays as it is; null for `lowBalanceThreshold` is never low, for `dailySpendCap` no cap. */
export const updateBillingInput = z
  .strictObject({
    accountId: z.string().meta({ description: 'The account' }),
    lowBalanceThreshold: intBetween(1, CREDITS_MAX).nullish().meta({
      description: 'Below so many credits the balance is low, 1 to 1,000,000,000; null: it never is',
    }),
    dailySpendCap: intBetween(0, CREDITS_MAX).nullish().meta({
      description: 'The most credits that sends may cost in a day (UTC), 0 to 1,000,000,000; null: no cap',
    }),
  })
  .meta({
    id: 'UpdateBillingInput',
    description: 'What is set of the balance of an account. What is absent stays as it is',
  });

const LOCK_BILLING = statement('lock billing', {
  takes: { account: 'uuid' },
  gives: { threshold: 'int?', cap: 'int?' },
  sql: p =>
    `select low_balance_threshold as threshold, daily_spend_cap as cap from accounts where id = ${p.account} for no key update`,
});

const SET_BILLING = statement('set billing', {
  takes: { account: 'uuid', threshold: 'int?', cap: 'int?' },
  sql: p =>
    `update accounts set low_balance_threshold = ${p.threshold}, daily_spend_cap = ${p.cap} where id = ${p.account}`,
});

/** Sets the billing of an account, and answers its balance. A balance that is low by the new threshold is told as one that fell. @throws AppError `not_found`. */
export async function updateBilling(ctx: Ctx, input: z.output<typeof updateBillingInput>): Promise<Balance> {
  requireOperator(ctx);
  const accountId = readAccountId(input.accountId);
  const account = toUuid(accountId);
  return ctx.em.transactional(async em => {
    const sql = em.getKysely();
    const row = await LOCK_BILLING.first(sql, { account });
    if (!row) throw noSuchAccount();
    const before = { lowBalanceThreshold: row.threshold, dailySpendCap: row.cap };
    const { lowBalanceThreshold = row.threshold, dailySpendCap = row.cap } = input;
    const details = changes(before, { lowBalanceThreshold, dailySpendCap });
    if (details) {
      await SET_BILLING.run(sql, { account, threshold: lowBalanceThreshold, cap: dailySpendCap });
      await recordAudit(em, ctx, { accountId, action: 'billing.updated', subject: accountId, details });
    }
    return readBalance(sql, accountId);
  });
}
