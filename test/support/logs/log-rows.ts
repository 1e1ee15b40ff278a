import type { Database } from '../../../src/db/orm.ts';
import { idPayloads } from '../../../src/db/statements/id-payloads.ts';
import { runSql } from '../../../src/db/statements/sql.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { Message } from '../../../src/modules/messaging/message.entity.ts';
import { LOG_CHANNEL } from '../../../src/modules/routing/announce-log.ts';
import { Attempt } from '../../../src/modules/routing/attempt.entity.ts';

/** An id that was made at a moment. */
export function idAt(prefix: 'att' | 'msg' | 'dlv', date: Date): string {
  const id = newId(prefix);
  return `${prefix}_${date.getTime().toString(16).padStart(12, '0')}${id.slice(prefix.length + 13)}`;
}

/** A settled SMS attempt of an account, sent unless told otherwise; not stored. */
export function makeAttempt(accountId: string, given: Partial<Omit<Attempt, 'accountId'>> = {}): Attempt {
  const startedAt = given.startedAt ?? new Date();
  return Object.assign(new Attempt(), {
    id: idAt('att', startedAt),
    accountId,
    area: 'unified' as const,
    type: 'message_attempt' as const,
    messageId: newId('msg'),
    pinId: null,
    channel: 'sms' as const,
    provider: 'sandbox',
    recipient: '12025550100',
    country: null,
    sender: 'ACME',
    reference: null,
    status: 'sent' as const,
    errorCode: null,
    errorMessage: null,
    segments: 1,
    credits: 1,
    providerMessageId: null,
    startedAt,
    finishedAt: new Date(),
    ...given,
  });
}

/** Stores entries of the log and announces them, as a commit does; answers their ids. */
export async function announceEntries(database: Database, accountId: string, count: number): Promise<string[]> {
  const attempts = Array.from({ length: count }, () => makeAttempt(accountId));
  await database.fork().persist(attempts).flush();
  const ids = attempts.map(({ id }) => id);
  for (const payload of idPayloads(ids))
    await runSql(database.sql(), 'select pg_notify($1, $2)', [LOG_CHANNEL, payload]);
  return ids;
}

/** A message of an account, sent by SMS unless told otherwise; not stored. */
export function makeMessage(accountId: string, given: Partial<Omit<Message, 'accountId'>> = {}): Message {
  const createdAt = given.createdAt ?? new Date();
  return Object.assign(new Message(), {
    id: idAt('msg', createdAt),
    accountId,
    area: 'unified' as const,
    recipient: '12025550100',
    text: 'Hello',
    channels: ['sms' as const],
    deliveryMode: 'fallback' as const,
    chatFrom: null,
    sender: 'ACME',
    cloudTemplate: null,
    reference: null,
    status: 'sent' as const,
    channel: 'sms' as const,
    segments: 1,
    smartEncoded: false,
    leaseUntil: null,
    createdAt,
    ...given,
  });
}

/** Midday of the 15th of the month that is so many months from now: never near the bounds of its partition. */
export function midMonth(offset: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 15, 12));
}
