/** The `data` of events as SQL: what REST answers (contract §7), without codes and texts of OTPs (§5). Of a direct SMS its attempt is told only. */
import { idSql, timeSql } from '../../../db/statements/json.sql.ts';
import { shownSql } from '../../../db/statements/shown.ts';
import { CHANNEL_FACTS, CHANNELS, type Channel } from '../../../kernel/channel.ts';
import type { Status } from '../../../kernel/status.ts';
import { attemptData } from '../../answers/attempt.data.ts';
import { messageData } from '../../answers/message.data.ts';
import type { EventSource } from './record-events.sql.ts';
import type { WebhookEventName } from './webhook-events.ts';

/** Statuses that say that the provider took it, as an SQL list. */
export const GOOD_STATUSES = statusList(['sent', 'delivered', 'read']);

/** Statuses that say that it did not arrive, as an SQL list. */
export const BAD_STATUSES = statusList(['failed', 'expired']);

function statusList(statuses: readonly Status[]): string {
  return `(${statuses.map(status => `'${status}'`).join(', ')})`;
}

/** A provider may write whatever it likes; a body stays below 20 KB with three attempts of it. */
const CODE_MAX = 100;
const MESSAGE_MAX = 500;

/** The members of an attempt as REST shows it (contract §4), as arguments of `json_build_object`. */
function attemptMembers(a: string): string {
  return shownSql(attemptData, a, {
    attemptId: idSql('att', `${a}.id`),
    errorCode: `left(${a}.error_code, ${CODE_MAX})`,
    errorMessage: `left(${a}.error_message, ${MESSAGE_MAX})`,
  });
}

/** Attempts as a JSON list, in the order of their route. @param rows a FROM clause whose rows are attempts named `a` */
function attemptsJson(rows: string, channels: string): string {
  return `(select coalesce(json_agg(json_build_object(${attemptMembers('a')})
      order by array_position(${channels}, a.channel), a.id), '[]'::json) from ${rows})`;
}

/** The channels whose attempts have events of their own, with these. */
const TOLD: readonly {
  readonly channel: Channel;
  readonly sent: WebhookEventName;
  readonly failed: WebhookEventName;
}[] = CHANNELS.flatMap(channel => {
  const { events } = CHANNEL_FACTS[channel];
  return events ? [{ channel, ...events }] : [];
});

/** `sms.sent`, `sms.failed`: what became of attempts `a` of `from`. @param isNews SQL: whether it is a change of whether it was accepted */
export function attemptEvents(from: string, a: string, isNews = 'true'): EventSource {
  return {
    from,
    where: `${a}.channel in (${TOLD.map(({ channel }) => `'${channel}'`).join(', ')}) and ${isNews}`,
    of: a,
    send: `coalesce(${a}.message_id, ${a}.pin_id)`,
    events: Object.fromEntries(
      TOLD.flatMap(({ channel, sent, failed }) => [
        [sent, `${a}.channel = '${channel}' and ${a}.status in ${GOOD_STATUSES}`],
        [failed, `${a}.channel = '${channel}' and ${a}.status in ${BAD_STATUSES}`],
      ]),
    ),
    data: `json_build_object('messageId', ${idSql('msg', `${a}.message_id`)}, 'pinId', ${idSql('pin', `${a}.pin_id`)},
      'recipient', ${a}.recipient, 'sender', ${a}.sender, 'reference', ${a}.reference, ${attemptMembers(a)})`,
  };
}

/** The `data` of a message as REST answers it (contract §4). @param attempts a FROM clause whose rows are its attempts, named `a` */
function messageJson(m: string, attempts: string): string {
  return `json_build_object(${shownSql(messageData, m, {
    messageId: idSql('msg', `${m}.id`),
    attempts: attemptsJson(attempts, `${m}.channels`),
  })})`;
}

/** `message.sent` and `message.failed`. @param isNews SQL: whether the status is a change of whether it succeeded */
export function messageOutcome(from: string, m: string, isNews: string, attempts: string): EventSource {
  return {
    from,
    where: `${m}.area = 'unified' and ${isNews}`,
    of: m,
    send: `${m}.id`,
    events: { 'message.sent': `${m}.status in ${GOOD_STATUSES}`, 'message.failed': `${m}.status in ${BAD_STATUSES}` },
    data: messageJson(m, attempts),
  };
}

/** `message.routed`: the routing is over. */
export function messageRouted(from: string, m: string, isOver: string, attempts: string): EventSource {
  return {
    from,
    where: `${m}.area = 'unified' and ${isOver}`,
    of: m,
    send: `${m}.id`,
    events: { 'message.routed': 'true' },
    data: messageJson(m, attempts),
  };
}

/** The members of an OTP's event that its row does not have, as SQL expressions. */
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
    'resendAvailableAt', case when ${status} in ('pending', 'sent') and ${o}.resend_available_at < ${o}.expires_at
      then ${timeSql(`${o}.resend_available_at`)} end, 'verifiedAt', ${timeSql(verifiedAt)},
    'errorCode', ${errorCode}, 'attemptsRemaining', ${attemptsRemaining},
    'attempts', ${attemptsJson(`${attempts} where a.resend = ${o}.resends`, `${o}.channels`)})`;
}

/** `otp.sent` (unified only) and `otp.failed` at the end of a routing. An unknown outcome is told when a receipt proves it. */
export function otpRouted(o: string, attempts: string): EventSource {
  return {
    from: o,
    where: `${o}.is_over and ${o}.is_news`,
    of: o,
    send: `${o}.id`,
    events: {
      'otp.failed': `${o}.end_channel is null and ${o}.end_status = 'failed'`,
      'otp.sent': `${o}.end_channel is not null and ${o}.area = 'unified'`,
    },
    data: otpJson(o, attempts, { errorCode: `case when ${o}.end_status = 'failed' then 'all_channels_failed' end` }),
  };
}

/** `otp.sent` of an OTP whose arrival a receipt proves. @param isNews SQL: whether nothing had accepted it until now */
export function otpProven(from: string, o: string, isNews: string): EventSource {
  return {
    from,
    where: `${o}.area = 'unified' and ${isNews}`,
    of: o,
    send: `${o}.id`,
    events: { 'otp.sent': 'true' },
    data: otpJson(o, attemptsOf(o), { errorCode: 'null::text' }),
  };
}

/** `otp.failed` of an OTP that a provider had accepted, and that receipts have taken back on every channel. Its code can still be verified. */
export function otpUndelivered(o: string): EventSource {
  return {
    from: o,
    where: 'true',
    of: o,
    send: `${o}.id`,
    events: { 'otp.failed': 'true' },
    data: otpJson(o, attemptsOf(o), { errorCode: `'all_channels_failed'` }),
  };
}

/** The events of a guess at a code. @param from gives the verdicts `v` (`kind`, `remaining`), the OTPs as they were `h`, and how they end `e` (`status`) */
export function otpVerdicts(from: string): EventSource {
  return {
    from,
    where: 'true',
    of: 'h',
    send: 'h.id',
    events: {
      'otp.verified': `v.kind = 'verified'`,
      'otp.failed': `v.kind in ('incorrect', 'blocked', 'limited')`,
      'otp.expired': `v.kind in ('expired', 'cancelled', 'keyless')`,
    },
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
