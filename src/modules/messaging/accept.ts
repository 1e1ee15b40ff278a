/**
 * The batch *accept*: what a send commits before any provider is called — the idempotency key, the message with its lease, the
 * attempts that are about to be made, and the hold of what an SMS among them would cost. From here on the message ends in a definite
 * state, whatever dies.
 */
import { type Apply, defineStatementBatch, toBatchError } from '../../db/batch.ts';
import { asJson, runSql, type Sql } from '../../db/statements/sql.ts';
import { AppError } from '../../kernel/errors.ts';
import { toUuid } from '../../kernel/ids.ts';
import { bookEntries, holdCtes, holdEntries } from '../billing/ledger.sql.ts';
import { insufficientBalance, type Shortage } from '../billing/shortage.ts';
import type { ChannelAttempt } from '../routing/attempt.entity.ts';
import { ATTEMPT_COLUMNS, attemptRow, holdRows } from '../routing/rows.ts';
import { LEASE_SECONDS } from '../routing/send.ts';
import type { Message } from './message.entity.ts';

/** How long a reference is remembered (contract §4). */
const REFERENCE_DAYS = 30;

/** A send that is to be accepted. */
export interface AcceptItem {
  readonly message: Message;
  readonly attempts: readonly ChannelAttempt[];
  /** Whether SMS is the only channel of the route: where the credits do not pay for it, nothing is accepted. */
  readonly isSmsOnly: boolean;
  /** SHA-256 of the normalised request, hex; only read where the message has a reference. */
  readonly fingerprint: string;
}

/** An answer as it was first given. `messageId` names the message that it is about. */
export interface StoredAnswer {
  readonly messageId: string;
  readonly answer: unknown;
}

/**
 * What came of it: accepted under a lease, or the first answer of the same request. `shortage`: why the SMS among the attempts cannot
 * be paid; null: it is held, or there is none.
 */
export type Accepted =
  | { readonly kind: 'accepted'; readonly lease: string; readonly shortage: Shortage | null }
  | ({ readonly kind: 'replayed' } & StoredAnswer);

interface KeyRow {
  account_id: string;
  area: string;
  reference: string;
  fingerprint: string;
  message_id: string;
  answer: unknown;
}

/** Accepts a send. @throws AppError `insufficient_balance`, `reference_in_flight`, `reference_reused`, `database_unavailable`. */
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
  const holders = lost.length > 0 ? await findKeys(sql, lost).catch(toBatchError) : new Map<string, KeyRow>();
  return items.map(item => {
    const row = rowOf(item);
    if (row?.lease) return { kind: 'accepted', lease: row.lease, shortage: row.shortage };
    if (holders instanceof Error) return holders;
    const holder = holders.get(keyName(keyOf(item)));
    return !holder && row?.shortage ? insufficientBalance(row.shortage, new Date()) : answerFor(item, holder);
  });
}

function keyOf(item: AcceptItem): KeyRow {
  const { message } = item;
  return {
    account_id: toUuid(message.accountId),
    area: message.area,
    reference: message.reference ?? '',
    fingerprint: item.fingerprint,
    message_id: toUuid(message.id),
    answer: null,
  };
}

function keyName(key: Pick<KeyRow, 'account_id' | 'area' | 'reference'>): string {
  return `${key.account_id} ${key.area} ${key.reference}`;
}

async function findKeys(sql: Sql, keys: readonly KeyRow[]): Promise<Map<string, KeyRow>> {
  const rows = await runSql<KeyRow>(
    sql,
    `select k.account_id, k.area, k.reference, k.fingerprint, k.message_id, k.answer
     from json_populate_recordset(null::idempotency_keys, $1::json) r
     join idempotency_keys k using (account_id, area, reference) where k.expires_at > now()`,
    [asJson(keys)],
  );
  return new Map(rows.map(row => [keyName(row), row]));
}

/** What became of a message that did not lose its reference: its lease, or why nothing of it was accepted. */
interface AcceptedRow {
  id: string;
  lease: string | null;
  shortage: Shortage | null;
}

/**
 * Makes the holds that the balances have room for; claims the references, one winner each (an expired key is taken over); stores the
 * messages that won or have none, with their attempts; answers the lease of each, as the text that fences its settles. What asks for an
 * answer again pays nothing. Keys go in their order, so that two processes with the same references wait for each other instead of
 * deadlocking.
 */
async function insertAccepted(sql: Sql, items: readonly AcceptItem[], by: string): Promise<Map<string, AcceptedRow>> {
  const keys = items.filter(item => item.message.reference !== null).map(keyOf);
  const firstKeys = new Map(keys.toReversed().map(key => [keyName(key), key]));
  // Of requests with one reference the first can win: the others pay nothing.
  const firsts = items.filter(
    item =>
      item.message.reference === null || firstKeys.get(keyName(keyOf(item)))?.message_id === toUuid(item.message.id),
  );
  const holds = firsts.flatMap(({ message, attempts, isSmsOnly }) =>
    holdRows(attempts, { send_id: toUuid(message.id), is_only: isSmsOnly }),
  );
  const rows = await runSql<AcceptedRow>(
    sql,
    `with taken as materialized (
       select r.message_id from json_populate_recordset(null::idempotency_keys, $1::json) r
       -- One look into the index for each: a join would be planned for a table as small as it once was.
       where (select k.expires_at > now() from idempotency_keys k
         where k.account_id = r.account_id and k.area = r.area and k.reference = r.reference)
     ), ${holdCtes(ASKED_HOLDS, '$7::uuid[]')}, refused as materialized (
       select send_id, shortage from judged where shortage is not null and is_only
     ), claimed as (
       insert into idempotency_keys as k (account_id, area, reference, fingerprint, message_id, expires_at)
       select account_id, area, reference, fingerprint, message_id, now() + make_interval(days => $2::int)
       from json_populate_recordset(null::idempotency_keys, $1::json)
       where message_id not in (select send_id from refused) and message_id not in (select message_id from taken)
       order by account_id, area, reference
       on conflict (account_id, area, reference) do update
         set fingerprint = excluded.fingerprint, message_id = excluded.message_id, answer = null, expires_at = excluded.expires_at
         where k.expires_at <= now()
       returning message_id
     ), stored as (
       insert into messages (id, account_id, area, recipient, text, channels, delivery_mode, chat_from, sender, cloud_template,
         reference, status, segments, created_at, lease_until)
       select id, account_id, area, recipient, text, channels, delivery_mode, chat_from, sender, cloud_template,
         reference, status, segments, created_at, clock_timestamp() + make_interval(secs => $4::int)
       from json_populate_recordset(null::messages, $3::json)
       where id not in (select send_id from refused) and (reference is null or id in (select message_id from claimed))
       returning id, lease_until::text as lease
     ), made as (
       insert into attempts (${ATTEMPT_COLUMNS})
       select ${ATTEMPT_COLUMNS} from json_populate_recordset(null::attempts, $5::json)
       where message_id in (select id from stored)
     ), booked as (${bookEntries(holdEntries('send_id in (select id from stored)'))}
     ), timely as materialized (
       -- When everything is stored, and whatever was waited for.
       select in_time($8::timestamptz) as is_timely from (select count(*) from stored) s
     )
     select s.id, s.lease, j.shortage from timely join stored s on is_timely left join judged j on j.send_id = s.id
     union all
     select send_id, null, shortage from refused`,
    [
      asJson([...firstKeys.values()]),
      REFERENCE_DAYS,
      asJson(items.map(item => messageRow(item.message))),
      LEASE_SECONDS,
      asJson(items.flatMap(item => item.attempts.map(attemptRow))),
      asJson(holds),
      [...new Set(holds.map(hold => hold.account_id))],
      by,
    ],
  );
  return new Map(rows.map(row => [row.id, row]));
}

/** The holds that are asked for. A reference that is taken asks for none, and so is not claimed either, whoever forgets it meanwhile. */
const ASKED_HOLDS = `(
    select * from json_to_recordset($6::json) as r(attempt_id uuid, send_id uuid, account_id uuid, need int, is_only boolean)
    where send_id not in (select message_id from taken)
  ) h`;

/** A message as a row of `messages`; the lease is the statement's, since the database's clock decides it. */
function messageRow(message: Message): object {
  return {
    id: toUuid(message.id),
    account_id: toUuid(message.accountId),
    area: message.area,
    recipient: message.recipient,
    text: message.text,
    channels: message.channels,
    delivery_mode: message.deliveryMode,
    chat_from: message.chatFrom,
    sender: message.sender,
    cloud_template: message.cloudTemplate,
    reference: message.reference,
    status: message.status,
    segments: message.segments,
    created_at: message.createdAt,
  };
}

/** What a request hears whose reference another one holds. */
function answerFor(item: AcceptItem, holder: KeyRow | undefined): Accepted | AppError {
  if (holder && holder.fingerprint !== item.fingerprint) {
    return new AppError(
      'reference_reused',
      'The reference was used for another request. Use a new one, or repeat that request.',
    );
  }
  if (!holder || holder.answer === null) {
    return new AppError('reference_in_flight', 'A request with this reference is still running.', { retryAfter: 1 });
  }
  return { kind: 'replayed', messageId: holder.message_id, answer: holder.answer };
}
