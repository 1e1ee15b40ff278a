/** What webhooks are told of messages, as SQL. Only unified messages are told of: a direct SMS is its attempt (interface, "Events"). */
import { idSql, timeSql } from '../../db/json.sql.ts';
import { attemptsJson, BAD_STATUSES, GOOD_STATUSES } from './attempt-events.sql.ts';
import type { EventSource } from './record-events.sql.ts';

/** The `data` of a message as REST answers it (contract §4). @param attempts a FROM clause whose rows are its attempts, named `a` */
function messageJson(m: string, attempts: string): string {
  return `json_build_object('messageId', ${idSql('msg', `${m}.id`)}, 'reference', ${m}.reference, 'recipient', ${m}.recipient,
    'status', ${m}.status, 'deliveryMode', ${m}.delivery_mode, 'channel', ${m}.channel, 'segments', ${m}.segments,
    'attempts', ${attemptsJson(attempts, `${m}.channels`)}, 'createdAt', ${timeSql(`${m}.created_at`)})`;
}

/** `message.sent` and `message.failed`. @param isNews SQL: whether the status is a change of whether it succeeded */
export function messageOutcome(from: string, m: string, isNews: string, attempts: string): EventSource {
  return {
    from,
    where: `${m}.area = 'unified' and ${isNews}`,
    of: m,
    event: `case when ${m}.status in ${GOOD_STATUSES} then 'message.sent' when ${m}.status in ${BAD_STATUSES} then 'message.failed' end`,
    data: messageJson(m, attempts),
  };
}

/** `message.routed`: the routing is over. */
export function messageRouted(from: string, m: string, isOver: string, attempts: string): EventSource {
  return {
    from,
    where: `${m}.area = 'unified' and ${isOver}`,
    of: m,
    event: `'message.routed'`,
    data: messageJson(m, attempts),
  };
}
