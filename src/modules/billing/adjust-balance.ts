/** The verb *adjust a balance*: the operator gives credits to an account or takes them away, with a reason. */
import { z } from 'zod';
import { type Ctx, requireOperator } from '../../context.ts';
import type { Sql } from '../../db/statements/sql.ts';
import { statement } from '../../db/statements/statement.ts';
import { AppError, invalidInput, noSuchAccount } from '../../kernel/errors.ts';
import { toUuid } from '../../kernel/ids.ts';
import { wholeFrom } from '../../kernel/input.ts';
import { REFERENCE_MESSAGE, REFERENCE_PATTERN } from '../../kernel/reference.ts';
import { textInput } from '../../kernel/storable.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { type Balance, readAccountId, readBalance } from './balance.ts';
import { bookAdjustment } from './book-adjustment.ts';
import { CREDITS_MAX } from './credits-max.ts';

/** The most credits that a balance can be filled up to. Its column holds 147,483,647 more: room for holds that are released later. */
const BALANCE_MAX = 2_000_000_000;

const REASON_LENGTH_MAX = 500;

const CREDITS_MESSAGE = `must be a whole number from -${CREDITS_MAX} to ${CREDITS_MAX}, and not 0`;

/** The input of `adjustBalance`. Credits below 0 are taken away; with a `reference` it is safe to repeat. */
export const adjustBalanceInput = z
  .strictObject({
    accountId: z.string().meta({ description: 'The account' }),
    credits: wholeFrom(-CREDITS_MAX, CREDITS_MAX, CREDITS_MESSAGE)
      .refine(credits => credits !== 0, CREDITS_MESSAGE)
      .meta({ description: 'How many, up to 1,000,000,000; below 0: taken away' }),
    reason: textInput(REASON_LENGTH_MAX, z.string().trim()).meta({
      description: 'Why, 1 to 500 characters; the account sees it in its ledger',
    }),
    reference: z.string().regex(REFERENCE_PATTERN, REFERENCE_MESSAGE).nullish().meta({
      description: 'Makes it safe to repeat: 1 to 255 visible ASCII characters, unique for the account',
    }),
  })
  .meta({ id: 'AdjustBalanceInput', description: 'Credits that are given to an account or taken away' });

/** The checked input of `adjustBalance`. */
export type AdjustBalanceInput = z.output<typeof adjustBalanceInput>;

/**
 * Adjusts the balance of an account, and answers the new balance. A repeat of a reference changes nothing, and answers the balance as it is
 * now.
 * @throws AppError `not_found`; `insufficient_balance` where more is taken than the account has; `reference_reused` where another adjustment
 * has the reference. Also `invalid_input` on `credits` where the balance would be too large.
 */
export async function adjustBalance(ctx: Ctx, input: AdjustBalanceInput): Promise<Balance> {
  requireOperator(ctx);
  const accountId = readAccountId(input.accountId);
  const { credits, reason, reference = null } = input;
  return ctx.em.transactional(async em => {
    const sql = em.getKysely();
    const before = await lockCredits(sql, accountId);
    if (reference !== null && (await wasDone(sql, accountId, { ...input, reference })))
      return readBalance(sql, accountId);
    if (before + credits < 0)
      throw new AppError('insufficient_balance', `The account has ${before} credits: no more can be taken away.`);
    if (credits > 0 && before + credits > BALANCE_MAX)
      throw invalidInput('credits', `must be at most ${BALANCE_MAX - before}, since the account has ${before}`);
    const entryId = await bookAdjustment(sql, { accountId, credits, reason, reference });
    const details = { credits, reason, reference, balance: before + credits };
    await recordAudit(em, ctx, { accountId, action: 'balance.adjusted', subject: entryId, details });
    return readBalance(sql, accountId);
  });
}

const LOCK_CREDITS = statement('lock credits', {
  takes: { account: 'uuid' },
  gives: { credits: 'int' },
  sql: p => `select credits from accounts where id = ${p.account} for no key update`,
});

const FIND_ADJUSTMENT = statement('find adjustment', {
  takes: { account: 'uuid', reference: 'text' },
  gives: { credits: 'int', reason: 'text' },
  sql: p => `select credits, reason from ledger where account_id = ${p.account} and reference = ${p.reference}`,
});

/** Adjustments of one account go one by one, and no send takes credits in between. */
async function lockCredits(sql: Sql, accountId: string): Promise<number> {
  const row = await LOCK_CREDITS.first(sql, { account: toUuid(accountId) });
  if (!row) throw noSuchAccount();
  return row.credits;
}

async function wasDone(
  sql: Sql,
  accountId: string,
  { credits, reason, reference }: AdjustBalanceInput & { reference: string },
): Promise<boolean> {
  const known = await FIND_ADJUSTMENT.first(sql, { account: toUuid(accountId), reference });
  if (known && (known.credits !== credits || known.reason !== reason))
    throw new AppError('reference_reused', 'The reference was used for another adjustment. Use a new one.');
  return known !== undefined;
}
