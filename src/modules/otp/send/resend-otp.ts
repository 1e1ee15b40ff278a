/** The verb *resend an OTP*: the same pin, the same code, the same end, once more over the channels of its route. */
import { type Ctx, requireAccount } from '../../../context.ts';
import { ALONE_IN_TIME_MS } from '../../../db/batch.ts';
import { asJson, runSql } from '../../../db/statements/sql.ts';
import { AppError } from '../../../kernel/errors.ts';
import { parseId, toUuid } from '../../../kernel/ids.ts';
import { LimitError, tellingLimits } from '../../../kernel/rate-limit.ts';
import { ACCOUNTS_LOCKED, bookEntries, holdCtes, holdEntries } from '../../billing/ledger.sql.ts';
import { insufficientBalance, type Shortage } from '../../billing/shortage.ts';
import type { ChannelAttempt } from '../../routing/attempt.entity.ts';
import { newAttempt, routeSend } from '../../routing/route-send.ts';
import { hasSmsOnly, planRoute } from '../../routing/routing.policy.ts';
import { ATTEMPT_COLUMNS, attemptRow, holdRows } from '../../routing/rows.ts';
import { LEASE_SECONDS } from '../../routing/send.ts';
import { acceptOrWithdraw } from '../../routing/unfinished.ts';
import { isExempt } from '../limits/exempt.policy.ts';
import { tooManySends, windowWait } from '../limits/recipient-limits.ts';
import { Otp } from '../otp.entity.ts';
import { requireOtpCaller } from '../otp-caller.ts';
import { fromOtpJson, type OtpJson } from '../otp-row.ts';
import { codeOf } from './code.ts';
import { OTP } from './otp-kind.ts';
import { RESEND_WAITS } from './resend.policy.ts';
import type { ResendOtpInput } from './send-otp.input.ts';

/**
 * Sends an OTP again and answers it with the attempts of this send. It counts as a send to its recipient.
 * @throws AppError `unified_api_disabled`, `plan_expired`, `wrong_area`, `sender_not_approved`, `insufficient_balance`, `otp_not_found`, `otp_cooldown` (too
 * early, or the send before is under way), `rate_limited` (three times already, or too many sends to the recipient), `otp_expired`,
 * `otp_blocked`, `otp_already_verified`, `database_unavailable`, `overloaded`.
 */
export async function resendOtp(ctx: Ctx, { pinId }: ResendOtpInput): Promise<Otp> {
  const { account, area } = await requireOtpCaller(ctx);
  const id = parseId('pin', pinId);
  const known = id
    ? await ctx.em.findOne(Otp, { id, accountId: account.id, area }, { disableIdentityMap: true })
    : null;
  if (!known) throw new AppError('otp_not_found', 'There is no such passcode.');
  if (codeOf(ctx.services.keys, known) === null)
    throw new AppError('otp_expired', 'This passcode is over. Send a new one.');
  // Once more, since a sender can lose its approval.
  const { legs } = planRoute({ ...known, text: '' }, account, area);
  const otp = { ...known, resends: known.resends + 1 };
  const attempts = (otp.deliveryMode === 'all' ? legs : legs.slice(0, 1)).map(leg => newAttempt(ctx, OTP, otp, leg));

  const by = await ctx.services.database.clock.in(ALONE_IN_TIME_MS);
  const resending = acceptOrWithdraw(ctx, OTP, otp, attempts, resend(ctx, otp, attempts, hasSmsOnly(legs), by));
  const { lease, shortage, row } = await tellingLimits(ctx.exchange.headers, resending);
  const send = fromOtpJson(row);
  await routeSend(ctx, { send, kind: OTP, lease, shortage, attempts, rest: legs.slice(attempts.length) });
  send.attemptsMade = attempts;
  return send;
}

const younger = (interval: string): string =>
  `(select count(*) from unnest(l.sends) s where s > at - interval '${interval}')`;

const ASKED_HOLDS = 'json_to_recordset($11::json) as h(attempt_id uuid, send_id uuid, account_id uuid, need int)';

/**
 * The account is locked before the recipient, and that before the OTP, as by a send; whether the balance pays, there is room and it is
 * time, the one statement decides.
 */
const RESEND = `
  with clock as materialized (
    select clock_timestamp() as at
  ), ${holdCtes(ASKED_HOLDS, '$12::uuid[]')}, locked as materialized (
    select r.* from otp_recipients r where r.account_id = $2 and r.recipient = $3 and ${ACCOUNTS_LOCKED} for update
  ), resent as (
    update otps o
    set resends = $4::int, lease_until = at + make_interval(secs => $5::int),
        resend_available_at = at + make_interval(secs => coalesce((array[${RESEND_WAITS.join(', ')}])[$4::int + 1], 0))
    from locked l, clock
    where o.id = $1 and o.account_id = $2 and o.status in ('pending', 'sent') and o.expires_at > at and o.lease_until is null
      and o.resends = $4::int - 1 and $4::int <= ${RESEND_WAITS.length}
      and ($6 or (o.resend_available_at <= at and ${younger('1 hour')} < $7::int and ${younger('1 day')} < $8::int))
      and not ($13 and exists (select from judged where shortage is not null))
    returning o.*
  ), counted as (
    update otp_recipients r
    set sends = array(select s from unnest(r.sends) s where s > at - interval '1 day') || at, updated_at = at,
        cooldowns = r.cooldowns || jsonb_build_object(o.area, at + make_interval(secs => $9::int))
    from resent o, clock where not $6 and r.account_id = o.account_id and r.recipient = o.recipient
  ), made as (
    insert into attempts (${ATTEMPT_COLUMNS})
    select ${ATTEMPT_COLUMNS} from json_populate_recordset(null::attempts, $10::json) where exists (select from resent)
  ), booked as (${bookEntries(holdEntries('exists (select from resent)'))}
  ), timely as materialized (
    select in_time($14::timestamptz) as is_timely from (select count(*) from resent) r
  )
  select (select shortage from judged) as shortage, r.lease, r.row from timely join clock on is_timely
  left join (select lease_until::text as lease, row_to_json(resent) as row from resent) r on true`;

interface Resent {
  readonly lease: string;
  readonly shortage: Shortage | null;
  readonly row: OtpJson;
}

async function resend(
  ctx: Ctx,
  otp: Otp,
  attempts: readonly ChannelAttempt[],
  isSmsOnly: boolean,
  by: string,
): Promise<Resent> {
  const { account } = requireAccount(ctx);
  const { sendsPerHour, sendsPerDay, cooldownSeconds } = account.otp;
  const sql = ctx.services.database.sql();
  const holds = holdRows(attempts, { send_id: toUuid(otp.id) });
  const [resent] = await runSql<Resent | { lease: null; shortage: Shortage | null }>(sql, RESEND, [
    toUuid(otp.id),
    toUuid(otp.accountId),
    otp.recipient,
    otp.resends,
    LEASE_SECONDS,
    isExempt(otp.recipient),
    sendsPerHour,
    sendsPerDay,
    cooldownSeconds,
    asJson(attempts.map(attemptRow)),
    asJson(holds),
    holds.map(hold => hold.account_id),
    isSmsOnly,
    by,
  ]);
  if (resent && resent.lease !== null) return resent;
  throw await refusalOf(ctx, otp, isSmsOnly ? (resent?.shortage ?? null) : null);
}

/** How an OTP stands that was not sent again, with the seconds that are in its way. */
interface Standing {
  readonly status: Otp['status'];
  readonly is_over: boolean;
  readonly is_under_way: boolean;
  readonly resends: number;
  readonly wait: number;
  readonly left: number;
  readonly hour: number | null;
  readonly day: number | null;
}

/** Why the statement changed nothing, as it stands a moment later. */
async function refusalOf(ctx: Ctx, { id, expiresIn }: Otp, shortage: Shortage | null): Promise<AppError> {
  const settings = requireAccount(ctx).account.otp;
  const [row] = await runSql<Standing>(
    ctx.services.database.sql(),
    `select o.status, o.expires_at <= now() as is_over, o.lease_until is not null as is_under_way, o.resends,
       extract(epoch from o.resend_available_at - now())::float8 as wait,
       extract(epoch from o.expires_at - now())::float8 as left,
       ${windowWait('$2::int', '1 hour')} as hour, ${windowWait('$3::int', '1 day')} as day
     from otps o left join otp_recipients r using (account_id, recipient) where o.id = $1`,
    [toUuid(id), settings.sendsPerHour, settings.sendsPerDay],
  );
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
  if (row.wait > 0 || row.is_under_way) {
    const policy = { name: 'otp-resend', quota: 1, windowSeconds: RESEND_WAITS[row.resends] ?? 1 };
    const message = `The passcode was sent a moment ago. Wait ${Math.max(1, Math.ceil(row.wait))} s.`;
    return new LimitError('otp_cooldown', message, policy, row.wait);
  }
  const limit = tooManySends(settings, row.hour ?? 0, row.day ?? 0);
  return shortage ? insufficientBalance(shortage, ctx.clock.now()) : limit;
}
