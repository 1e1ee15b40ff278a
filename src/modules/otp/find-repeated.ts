/** Repeats of a call that brings a code: the server behind a hook makes its call again where an answer is late. */
import { type Ctx, requireAccount } from '../../context.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';
import { AppError } from '../../kernel/errors.ts';
import { toUuid } from '../../kernel/ids.ts';
import type { Otp } from './otp.entity.ts';
import { fromOtpJson, type OtpJson } from './otp-row.ts';
import { codeMac } from './send/code.ts';

const LIVE_OTP = statement('live otp', {
  takes: { account: 'uuid', area: 'text', recipient: 'text' },
  gives: { otp: typed<OtpJson>('jsonb') },
  sql: p => `select to_jsonb(o) as otp from otps o where o.account_id = ${p.account} and o.area = ${p.area}
    and o.recipient = ${p.recipient} and o.status in ('pending', 'sent') and o.expires_at > clock_timestamp()`,
});

/**
 * The live OTP of a recipient, where it has the code that the request brings; null: the code is new, or made here.
 * @throws AppError `overloaded` while that OTP is still pending: no provider has accepted it, and perhaps none will
 */
export async function findRepeated(ctx: Ctx, recipient: string): Promise<Otp | null> {
  const { givenCode } = ctx.request;
  if (givenCode === undefined) return null;
  const { account, area } = requireAccount(ctx);
  const sql = ctx.services.database.sql();
  const row = await LIVE_OTP.first(sql, { account: toUuid(account.id), area, recipient });
  if (!row) return null;
  const otp = fromOtpJson(row.otp);
  if (codeMac(ctx.services.keys, otp.keyId, otp.id, givenCode) !== otp.codeMac) return null;
  if (otp.status === 'pending')
    throw new AppError('overloaded', 'This code is being sent. Try again in a moment.', { retryAfter: 1 });
  return otp;
}
