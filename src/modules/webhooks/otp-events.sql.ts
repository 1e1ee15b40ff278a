/** What webhooks are told of OTPs, as SQL. No code and no text of one is in it (contract §5). */
import { idSql, timeSql } from '../../db/json.sql.ts';
import { attemptsJson } from './attempt-events.sql.ts';
import type { EventSource } from './record-events.sql.ts';

/** What an event says of an OTP that its row does not, as SQL expressions. */
interface OtpNews {
  readonly status?: string;
  readonly verifiedAt?: string;
  /** The API's code of what went wrong; `null`: nothing did. */
  readonly errorCode: string;
  readonly attemptsRemaining?: string;
}

/** The `data` of an OTP: what REST answers to its send and its verify (contract §5), and why it failed. */
function otpJson(o: string, attempts: string, news: OtpNews): string {
  const { status = `${o}.status`, verifiedAt = `${o}.verified_at`, errorCode, attemptsRemaining = 'null::int' } = news;
  return `json_build_object('pinId', ${idSql('pin', `${o}.id`)}, 'recipient', ${o}.recipient, 'status', ${status},
    'channel', ${o}.channel, 'expiresAt', ${timeSql(`${o}.expires_at`)},
    'resendAvailableAt', ${timeSql(`${o}.resend_available_at`)}, 'verifiedAt', ${timeSql(verifiedAt)},
    'errorCode', ${errorCode}, 'attemptsRemaining', ${attemptsRemaining},
    'attempts', ${attemptsJson(`${attempts} where a.resend = ${o}.resends`, `${o}.channels`)})`;
}

/**
 * `otp.sent` and `otp.failed` at the end of a routing: a channel accepted it, or none did. What nobody knows is told when a receipt
 * proves it. `otp.sent` is told of unified OTPs (interface, "Events").
 */
export function otpRouted(o: string, attempts: string): EventSource {
  return {
    from: o,
    where: `${o}.is_over`,
    of: o,
    event: `case when ${o}.end_channel is null and ${o}.end_status = 'failed' then 'otp.failed'
      when ${o}.end_channel is not null and ${o}.area = 'unified' then 'otp.sent' end`,
    data: otpJson(o, attempts, { errorCode: `case when ${o}.end_status = 'failed' then 'all_channels_failed' end` }),
  };
}

/** `otp.sent` of an OTP whose arrival a receipt proves. @param isNews SQL: whether nothing had accepted it until now */
export function otpProven(from: string, o: string, isNews: string): EventSource {
  return {
    from,
    where: `${o}.area = 'unified' and ${isNews}`,
    of: o,
    event: `'otp.sent'`,
    data: otpJson(o, attemptsOf(o), { errorCode: 'null::text' }),
  };
}

/**
 * `otp.verified`, `otp.failed` and `otp.expired`: what became of a guess.
 * @param from gives the verdicts as `v` (`kind`, `remaining`), the OTPs as they were as `h`, and how they end as `e` (`status`)
 */
export function otpVerdicts(from: string): EventSource {
  return {
    from,
    where: 'true',
    of: 'h',
    event: `case v.kind when 'verified' then 'otp.verified'
      when 'incorrect' then 'otp.failed' when 'blocked' then 'otp.failed' when 'limited' then 'otp.failed'
      when 'expired' then 'otp.expired' when 'cancelled' then 'otp.expired' when 'keyless' then 'otp.expired' end`,
    data: otpJson('h', attemptsOf('h'), {
      status: 'e.status',
      verifiedAt: `case when e.is_won then clock.at else h.verified_at end`,
      errorCode: `case v.kind when 'incorrect' then 'otp_incorrect' when 'blocked' then 'otp_blocked'
        when 'limited' then 'rate_limited' when 'verified' then null else 'otp_expired' end`,
      attemptsRemaining: `case v.kind when 'incorrect' then v.remaining::int when 'blocked' then 0 end`,
    }),
  };
}

/** The attempts of an OTP that no statement changes at the moment. */
function attemptsOf(o: string): string {
  return `(select t.* from attempts t where t.pin_id = ${o}.id and t.type = 'otp_attempt') a`;
}
