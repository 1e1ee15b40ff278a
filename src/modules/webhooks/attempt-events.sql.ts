/** What webhooks are told of attempts, as SQL. */
import { idSql, timeSql } from '../../db/json.sql.ts';
import type { Status } from '../../kernel/status.ts';
import type { EventSource } from './record-events.sql.ts';

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
  return `'attemptId', ${idSql('att', `${a}.id`)}, 'channel', ${a}.channel, 'provider', ${a}.provider, 'status', ${a}.status,
    'errorCode', left(${a}.error_code, ${CODE_MAX}), 'errorMessage', left(${a}.error_message, ${MESSAGE_MAX}),
    'segments', ${a}.segments, 'credits', ${a}.credits,
    'startedAt', ${timeSql(`${a}.started_at`)}, 'finishedAt', ${timeSql(`${a}.finished_at`)}`;
}

/** Attempts as a JSON list, in the order of their route. @param rows a FROM clause whose rows are attempts named `a` */
export function attemptsJson(rows: string, channels: string): string {
  return `(select coalesce(json_agg(json_build_object(${attemptMembers('a')})
      order by array_position(${channels}, a.channel), a.id), '[]'::json) from ${rows})`;
}

/**
 * `sms.sent` and `sms.failed`: what became of SMS attempts of messages and OTPs.
 * @param a the alias of the attempt in `from`
 * @param isNews SQL: whether the status is a change of whether it was accepted
 */
export function smsEvents(from: string, a: string, isNews = 'true'): EventSource {
  return {
    from,
    where: `${a}.channel = 'sms' and ${isNews}`,
    of: a,
    event: `case when ${a}.status in ${GOOD_STATUSES} then 'sms.sent' when ${a}.status in ${BAD_STATUSES} then 'sms.failed' end`,
    data: `json_build_object('messageId', ${idSql('msg', `${a}.message_id`)}, 'pinId', ${idSql('pin', `${a}.pin_id`)},
      'recipient', ${a}.recipient, 'sender', ${a}.sender, 'reference', ${a}.reference, ${attemptMembers(a)})`,
  };
}
