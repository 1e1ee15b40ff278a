/**
 * The batch *accept*, which a send commits before a provider is called. The message is stored with its lease and its attempts under way, beside
 * its reference and the hold for an SMS. From here on the message ends in a definite state, whatever dies.
 */
import { type Apply, defineStatementBatch, toBatchError } from '../../db/batch.ts';
import type { Sql } from '../../db/statements/sql.ts';
import { AppError } from '../../kernel/errors.ts';
import { fromUuid, toUuid } from '../../kernel/ids.ts';
import { gatewayTime } from '../../kernel/process/gateway-time.ts';
import { insufficientBalance, type Shortage } from '../billing/shortage.ts';
import type { ChannelAttempt } from '../routing/attempt.entity.ts';
import { holdRows } from '../routing/rows.ts';
import { LEASE_SECONDS } from '../routing/send.ts';
import { recipientSuppressed } from '../suppressions/refuse-suppressed.ts';
import { ACCEPT, type AcceptedRow, FIND_KEYS, type Holder, type Key } from './accept.sql.ts';
import type { Message } from './message.entity.ts';

/** How long a reference is remembered (contract §4). */
const REFERENCE_DAYS = 30;

/** A send that is to be accepted. */
export interface AcceptItem {
  /** With what is under way. */
  readonly message: Message;
  readonly attempts: readonly ChannelAttempt[];
  /** SHA-256 of the normalised request, hex; only read where the message has a reference. */
  readonly fingerprint: string;
  /** The name of the recipient, had it been erased. */
  readonly erased: string;
}

/** An answer as it was first given. `messageId` names the message that it is about. */
export interface StoredAnswer {
  readonly messageId: string;
  readonly answer: unknown;
}

/**
 * The result: accepted under a lease, or the first answer of the same request. `shortage`: why the SMS among the attempts cannot
 * be paid; null: it is held, or there is none.
 */
export type Accepted =
  | { readonly kind: 'accepted'; readonly lease: string; readonly shortage: Shortage | null }
  | Replayed;

type Replayed = { readonly kind: 'replayed' } & StoredAnswer;

/** Accepts a send. @throws AppError `recipient_suppressed`, `insufficient_balance`, `reference_in_flight`, `reference_reused`, `database_unavailable`. */
export const accept = defineStatementBatch<AcceptItem, Accepted>('accept', applyAccept, { inTime: true });

async function applyAccept(
  sql: Sql,
  items: readonly AcceptItem[],
  by: string,
): ReturnType<Apply<AcceptItem, Accepted>> {
  const rows = await insertAccepted(sql, items, by);
  const rowOf = (item: AcceptItem): AcceptedRow | undefined => rows.get(toUuid(item.message.id));
  // One that nothing pays for may repeat a request which took the last credits: then that one answers.
  const lost = items.filter(item => !rowOf(item)?.lease && item.message.reference !== null).map(keyOf);
  // The others are accepted already: what goes wrong here is told to those who lost only.
  const holders = lost.length > 0 ? await findKeys(sql, lost).catch(toBatchError) : new Map<string, Holder>();
  return items.map(item => {
    const row = rowOf(item);
    if (row?.lease) return { kind: 'accepted', lease: row.lease, shortage: row.shortage };
    if (holders instanceof Error) return holders;
    const holder = holders.get(keyName(keyOf(item)));
    if (!holder && row?.suppressed) return recipientSuppressed();
    return !holder && row?.shortage ? insufficientBalance(row.shortage, gatewayTime()) : answerFor(item, holder);
  });
}

/** The key of a send; only read where it has a reference. */
function keyOf({ message, fingerprint }: Pick<AcceptItem, 'message' | 'fingerprint'>): Key {
  const { id, accountId, area, reference } = message;
  return { accountId, area, reference: reference ?? '', fingerprint, messageId: id };
}

function keyName({ accountId, area, reference }: Record<'accountId' | 'area' | 'reference', string>): string {
  return `${accountId} ${area} ${reference}`;
}

async function findKeys(sql: Sql, keys: readonly Key[]): Promise<Map<string, Holder>> {
  const rows = await FIND_KEYS.run(sql, { keys });
  return new Map(rows.map(row => [keyName({ ...row, accountId: fromUuid('acc', row.account_id) }), row]));
}

async function insertAccepted(sql: Sql, items: readonly AcceptItem[], by: string): Promise<Map<string, AcceptedRow>> {
  const keys = items.filter(item => item.message.reference !== null).map(keyOf);
  const firstKeys = new Map(keys.toReversed().map(key => [keyName(key), key]));
  // Of requests with one reference the first can win: the others pay nothing.
  const firsts = items.filter(
    item => item.message.reference === null || firstKeys.get(keyName(keyOf(item)))?.messageId === item.message.id,
  );
  const holds = firsts.flatMap(({ message, attempts }) => holdRows(message, attempts));
  const rows = await ACCEPT.run(sql, {
    keys: [...firstKeys.values()],
    referenceDays: REFERENCE_DAYS,
    messages: items.map(item => item.message),
    erased: items.map(({ message, erased }) => ({ id: toUuid(message.id), name: erased })),
    leaseSeconds: LEASE_SECONDS,
    toSuppressed: items.flatMap(({ message }) => (message.goesToSuppressed ? [toUuid(message.id)] : [])),
    holds,
    payingAccounts: [...new Set(holds.map(hold => hold.account_id))],
    by,
  });
  return new Map(rows.map(row => [row.id, row]));
}

/** The first answer of the same request; null: nobody holds its reference. @throws AppError `reference_in_flight`, `reference_reused`, `database_unavailable` */
export async function findAnswer(
  sql: Sql,
  item: Pick<AcceptItem, 'message' | 'fingerprint'>,
): Promise<StoredAnswer | null> {
  const key = keyOf(item);
  const holder = (await findKeys(sql, [key])).get(keyName(key));
  if (!holder) return null;
  const answer = answerFor(item, holder);
  if (answer instanceof Error) throw answer;
  return answer;
}

/** The answer to a request whose reference another one holds. */
function answerFor({ fingerprint }: Pick<AcceptItem, 'fingerprint'>, holder: Holder | undefined): Replayed | AppError {
  if (holder && holder.fingerprint !== fingerprint) {
    return new AppError(
      'reference_reused',
      'The `reference` was used for another request in the last 30 days. Use a new one, or repeat that request as it was.',
    );
  }
  if (!holder || holder.answer === null) {
    return new AppError('reference_in_flight', 'A request with this reference is still running.', { retryAfter: 1 });
  }
  return { kind: 'replayed', messageId: holder.message_id, answer: holder.answer };
}
