/** The verb *resend an OTP*: the same pin, the same code, the same end, once more over the channels of its route. */

import { isMagic } from '../../../channels/sandbox/recipients.ts';
import { type Ctx, requireAccount } from '../../../context.ts';
import { ALONE_IN_TIME_MS } from '../../../db/batch.ts';
import { AppError } from '../../../kernel/errors.ts';
import { parseId, toUuid } from '../../../kernel/ids.ts';
import { LimitError, tellingLimits } from '../../../kernel/rate-limit.ts';
import { insufficientBalance, type Shortage } from '../../billing/shortage.ts';
import type { ChannelAttempt } from '../../routing/attempt.entity.ts';
import { newAttempt } from '../../routing/begin-attempt.ts';
import { acceptOrWithdraw } from '../../routing/recovery/unfinished.ts';
import { routeSend } from '../../routing/route-send.ts';
import { isPaidOnly, type Leg, planRoute } from '../../routing/routing.policy.ts';
import { holdRows } from '../../routing/rows.ts';
import { LEASE_SECONDS } from '../../routing/send.ts';
import { tracedSend } from '../../routing/traces/trace-send.ts';
import { toUnderWay } from '../../routing/under-way.ts';
import { isSuppressed, recipientSuppressed } from '../../suppressions/refuse-suppressed.ts';
import { tooManySends } from '../limits/recipient-limits.ts';
import { Otp } from '../otp.entity.ts';
import { requireOtpCaller } from '../otp-caller.ts';
import { fromOtpJson } from '../otp-row.ts';
import { codeOf } from './code.ts';
import { OTP } from './otp-kind.ts';
import { RESEND_WAITS } from './resend.policy.ts';
import { RESEND, STANDING } from './resend.sql.ts';
import type { ResendOtpInput } from './send-otp.input.ts';

/**
 * Sends an OTP again and answers it with the attempts of this send, which counts for its recipient. @throws AppError as `sendOtp`, but for
 * `invalid_input`; `recipient_suppressed`, `otp_not_found`, `otp_expired`, `otp_blocked`, `otp_already_verified`.
 */
export async function resendOtp(ctx: Ctx, { pinId }: ResendOtpInput): Promise<Otp> {
  const { account, area } = requireOtpCaller(ctx);
  const id = parseId('pin', pinId);
  // To a token only its own area exists; people see all of the account.
  const within = { accountId: account.id, ...(ctx.actor.kind === 'token' ? { area } : {}) };
  const known = id ? await ctx.em.findOne(Otp, { id, ...within }, { disableIdentityMap: true }) : null;
  if (!known) throw new AppError('otp_not_found', 'There is no such passcode.');
  const otp = { ...known, resends: known.resends + 1, goesToSuppressed: !account.stopsOtps };
  if (isSuppressed(ctx, otp)) throw recipientSuppressed();
  if (codeOf(ctx.services.keys, known) === null)
    throw new AppError('otp_expired', 'This passcode is over. Send a new one.');
  // Once more, since a sender can lose its approval.
  const { legs } = planRoute({ ...known, text: '' }, account, known.area);
  return tracedSend(ctx, 'resend otp', otp, () => deliverAgain(ctx, otp, legs));
}

async function deliverAgain(ctx: Ctx, otp: Otp, legs: readonly Leg[]): Promise<Otp> {
  const attempts = (otp.deliveryMode === 'all' ? legs : legs.slice(0, 1)).map(leg => newAttempt(ctx, OTP, otp, leg));

  const by = await ctx.services.database.clock.in(ALONE_IN_TIME_MS);
  const resending = acceptOrWithdraw(ctx, OTP, otp, attempts, () => resend(ctx, otp, attempts, legs, by));
  const { lease, shortage, send } = await tellingLimits(ctx.request.answerHeaders, resending);
  await routeSend(ctx, { send, kind: OTP, lease, shortage, attempts, rest: legs.slice(attempts.length) });
  send.attemptsMade = attempts;
  return send;
}

async function resend(
  ctx: Ctx,
  otp: Otp,
  attempts: readonly ChannelAttempt[],
  legs: readonly Leg[],
  by: string,
): Promise<{ lease: string; shortage: Shortage | null; send: Otp }> {
  const { account } = requireAccount(ctx);
  const { sendsPerHour, sendsPerDay, cooldownSeconds } = account.otp;
  const { database, suppressed } = ctx.services;
  const { goesToSuppressed = false } = otp;
  const holds = holdRows(otp, attempts);
  const resent = await RESEND.first(database.sql(), {
    id: toUuid(otp.id),
    account: toUuid(otp.accountId),
    recipient: otp.recipient,
    erased: goesToSuppressed ? null : suppressed.erasedName(otp.accountId, otp.recipient),
    resends: otp.resends,
    leaseSeconds: LEASE_SECONDS,
    isExempt: isMagic(otp.recipient),
    sendsPerHour,
    sendsPerDay,
    cooldownSeconds,
    underWay: toUnderWay(attempts),
    holds,
    payingAccounts: holds.map(hold => hold.account_id),
    isPaidOnly: isPaidOnly(legs),
    by,
  });
  if (resent?.lease && resent.otp)
    return {
      lease: resent.lease,
      shortage: resent.shortage,
      send: { ...fromOtpJson(resent.otp), goesToSuppressed },
    };
  if (resent?.suppressed) throw recipientSuppressed();
  throw await refusalOf(ctx, otp, isPaidOnly(legs) ? (resent?.shortage ?? null) : null);
}

/** Why the statement changed nothing, as it stands a moment later. */
async function refusalOf(ctx: Ctx, { id, expiresIn, recipient }: Otp, shortage: Shortage | null): Promise<AppError> {
  const settings = requireAccount(ctx).account.otp;
  const row = await STANDING.first(ctx.services.database.sql(), {
    id: toUuid(id),
    sendsPerHour: settings.sendsPerHour,
    sendsPerDay: settings.sendsPerDay,
  });
  if (!row) return new AppError('otp_not_found', 'There is no such passcode.');
  if (row.status === 'verified') return new AppError('otp_already_verified', 'This passcode was used already.');
  if (row.status === 'blocked') return new AppError('otp_blocked', 'Too many wrong codes were given. Send a new one.');
  if (row.is_over || (row.status !== 'pending' && row.status !== 'sent'))
    return new AppError('otp_expired', 'This passcode is over. Send a new one.');
  if (row.resends >= RESEND_WAITS.length) {
    const policy = { name: 'otp-resends', quota: RESEND_WAITS.length, windowSeconds: expiresIn };
    const message = 'A passcode is sent again three times at most. Send a new one.';
    return new LimitError('rate_limited', message, policy, row.left);
  }
  const [hour, day] = [row.hour ?? 0, row.day ?? 0];
  // The numbers of the sandbox wait for nothing.
  const wait = isMagic(recipient) ? 0 : row.wait;
  // The wait may be over between the two statements.
  if (wait > 0 || row.is_under_way || (!shortage && Math.max(hour, day) <= 0)) {
    const policy = { name: 'otp-resend', quota: 1, windowSeconds: RESEND_WAITS[row.resends] ?? 1 };
    const message = `The passcode was sent a moment ago. Wait ${Math.max(1, Math.ceil(wait))} s.`;
    return new LimitError('otp_cooldown', message, policy, wait);
  }
  return shortage ? insufficientBalance(shortage, ctx.clock.now()) : tooManySends(settings, hour, day);
}
