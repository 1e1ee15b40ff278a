/** The verb *record receipts*: what providers report later about attempts that they accepted. Late, twice and out of order is normal. */
import type { Receipt } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import { defineBatch } from '../../db/batch.ts';
import { asJson, runSql, type Sql } from '../../db/statements/sql.ts';
import { parseId, toUuid } from '../../kernel/ids.ts';
import { canMove } from '../../kernel/status.ts';
import { isStorableText } from '../../kernel/storable.ts';
import { chargeCtes } from '../billing/ledger.sql.ts';
import { BAD_STATUSES, GOOD_STATUSES, smsEvents } from '../webhooks/events/event-data.sql.ts';
import { ANNOUNCE_EVENTS, eventCtes } from '../webhooks/events/record-events.sql.ts';
import { IS_NEWS, PROOFS, raiseMessages, raiseOtps, rankSql } from './raise-sends.ts';

/** What became of a receipt: it raised an attempt, it told nothing new, or no attempt of that provider is known by its id. */
export type ReceiptResult = 'raised' | 'ignored' | 'unmatched';

/** What could be the code of an OTP, whole or in groups of digits. Its receipt may repeat the text, and nobody here knows the code. */
const NUMBER = /[0-9](?:[^0-9A-Za-z]{0,3}[0-9]){3,}/g;

/** An attempt that a receipt is about. */
interface Match {
  id: string;
  account_id: string;
  message_id: string | null;
  pin_id: string | null;
  provider: string;
  provider_message_id: string;
  /** Whether it was not accepted so far, though it would cost something. */
  may_owe: boolean;
}

/**
 * Records receipts, in one transaction with what others record at the same time, and answers what became of each, in order. A status moves only up the ranks, so the end
 * is the same in whatever order and however often they come. `unmatched` may be early: the commit that stores the provider's
 * id can still be under way, and the same receipts may be recorded again.
 * @throws AppError `database_unavailable`.
 */
export async function recordReceipts(ctx: Ctx, receipts: readonly Receipt[]): Promise<ReceiptResult[]> {
  const { database, metrics } = ctx.services;
  const results = receipts.length > 0 ? await record(database)(receipts) : [];
  for (const [index, receipt] of receipts.entries()) {
    metrics.receipts.inc({ provider: receipt.provider, result: results[index] ?? 'ignored' });
  }
  return results;
}

function keyOf(provider: string, providerMessageId: string): string {
  return JSON.stringify([provider, providerMessageId]);
}

/** The receipt that tells most about each attempt; the first of equals. One row per attempt, as an UPDATE takes any of several. */
function bestReceipts(receipts: readonly Receipt[]): Map<string, Receipt> {
  const best = new Map<string, Receipt>();
  for (const receipt of receipts) {
    // Such an id cannot have been stored, and would fail the statement for its neighbours.
    if (!isStorableText(receipt.provider) || !isStorableText(receipt.providerMessageId)) continue;
    const key = keyOf(receipt.provider, receipt.providerMessageId);
    const known = best.get(key);
    if (!known || canMove(known.status, receipt.status)) best.set(key, receipt);
  }
  return best;
}

/** The attempts that were found and those that were raised, by key. */
interface Recorded {
  readonly matched: ReadonlySet<string>;
  readonly raised: ReadonlySet<string>;
}

/** Records what several callers bring at once: the receipts of many jobs are one transaction. */
const record = defineBatch<readonly Receipt[], ReceiptResult[]>('receipts', async (sql, groups) => {
  const best = bestReceipts(groups.flat());
  const { matched, raised } = await applyReceipts(sql, [...best.values()]);
  const resultOf = (receipt: Receipt): ReceiptResult => {
    const key = keyOf(receipt.provider, receipt.providerMessageId);
    if (!matched.has(key)) return 'unmatched';
    return raised.has(key) && best.get(key) === receipt ? 'raised' : 'ignored';
  };
  return groups.map(receipts => receipts.map(resultOf));
});

/**
 * Find, lock, raise attempts, raise messages, in this order. The lock comes before any change, on accounts that may be charged, then on
 * messages, in the order of their ids: a settle takes the message before its attempts too, and two receipts of one message, from two processes, wait for
 * each other here. The one that waited then sees the other's attempts when it picks the best of them; without the lock each
 * could miss the other's and leave the message below its attempts.
 */
async function applyReceipts(sql: Sql, receipts: readonly Receipt[]): Promise<Recorded> {
  const matches = await findAttempts(sql, receipts);
  if (matches.length === 0) return { matched: new Set(), raised: new Set() };
  const paying = [...new Set(matches.filter(match => match.may_owe).map(match => match.account_id))].sort();
  if (paying.length > 0) await lockAccounts(sql, paying);
  const messageIds = [...new Set(matches.flatMap(match => match.message_id ?? []))].sort();
  if (messageIds.length > 0) await lockMessages(sql, messageIds);
  const pinIds = [...new Set(matches.flatMap(match => match.pin_id ?? []))].sort();
  if (pinIds.length > 0) await lockOtps(sql, pinIds);
  const accounts = [...new Set(matches.map(match => match.account_id))];
  const raised = await raiseAttempts(sql, matches, receipts, accounts);
  const found = new Map(matches.map(match => [match.id, keyOf(match.provider, match.provider_message_id)]));
  if (raised.length > 0 && messageIds.length > 0) {
    const turned = raised.filter(row => !row.was_accepted).map(row => row.id);
    await raiseMessages(sql, messageIds, turned, accounts);
  }
  const proven = raised.filter(row => !row.was_accepted).map(row => row.id);
  if (proven.length > 0 && pinIds.length > 0) await raiseOtps(sql, proven, accounts);
  return { matched: new Set(found.values()), raised: new Set(raised.flatMap(row => found.get(row.id) ?? [])) };
}

async function findAttempts(sql: Sql, receipts: readonly Receipt[]): Promise<Match[]> {
  const rows = receipts.map(({ provider, providerMessageId, attemptId }) => {
    const named = attemptId == null ? null : parseId('att', attemptId);
    return { provider, provider_message_id: providerMessageId, attempt_id: named && toUuid(named) };
  });
  const asked = 'json_to_recordset($1::json) as r(provider text, provider_message_id text, attempt_id uuid)';
  return runSql<Match>(
    sql,
    `select a.id, a.account_id, a.message_id, a.pin_id, a.provider, r.provider_message_id,
       a.channel = 'sms' and a.status not in ${GOOD_STATUSES} as may_owe
     from (
       select r.*, a.id from ${asked} join attempts a on a.provider_message_id = r.provider_message_id and a.provider = r.provider
       union all
       -- One that was given up: the answer with the provider's id never came.
       select r.*, a.id from ${asked} join attempts a on a.id = r.attempt_id and a.provider = r.provider
       where a.provider_message_id is null and a.status = 'unknown'
     ) r join attempts a on a.id = r.id`,
    [asJson(rows)],
  );
}

async function lockAccounts(sql: Sql, ids: readonly string[]): Promise<void> {
  await runSql(sql, 'select id from accounts where id = any($1::uuid[]) order by id for no key update', [ids]);
}

async function lockMessages(sql: Sql, ids: readonly string[]): Promise<void> {
  await runSql(
    sql,
    `select id from messages
     where id in (select value::uuid from json_array_elements_text($1::json)) and id between $2::uuid and $3::uuid
     order by id for update`,
    [JSON.stringify(ids), ids[0], ids.at(-1)],
  );
}

async function lockOtps(sql: Sql, ids: readonly string[]): Promise<void> {
  await runSql(
    sql,
    `select id from otps where id in (select value::uuid from json_array_elements_text($1::json)) order by id for update`,
    [JSON.stringify(ids)],
  );
}

/**
 * Raises attempts. A good status clears the error of a bad one that it corrects; a bad one keeps what was known unless it tells
 * more. What was not accepted costs nothing until a receipt proves that it was (contract §4): then it is charged, once.
 */
async function raiseAttempts(
  sql: Sql,
  matches: readonly Match[],
  receipts: readonly Receipt[],
  accounts: readonly string[],
): Promise<{ id: string; was_accepted: boolean }[]> {
  const byKey = new Map(receipts.map(receipt => [keyOf(receipt.provider, receipt.providerMessageId), receipt]));
  const rows = matches.flatMap(match => {
    const receipt = byKey.get(keyOf(match.provider, match.provider_message_id));
    return receipt ? [attemptChange(match, receipt)] : [];
  });
  const ids = rows.map(row => row.id).sort();
  const owing = matches.filter(match => match.may_owe).map(match => match.account_id);
  return runSql(
    sql,
    `with reported as materialized (
       select * from json_to_recordset($1::json)
         as x(id uuid, provider_message_id text, status text, is_bad boolean, has_error boolean, error_code text,
           error_message text)
     ), old as materialized (
       -- A settle that lost its lease may change them still.
       select id, status in ${GOOD_STATUSES} as was_accepted, status in ${BAD_STATUSES} as was_bad from attempts
       where id in (select id from reported) and id between $2::uuid and $3::uuid order by id for update
     ), ${chargeCtes(PROVEN, '$5::uuid[]')}, raised as (
       update attempts a
       set status = r.status,
           error_code = case when r.is_bad and not r.has_error then a.error_code else r.error_code end,
           error_message = case when r.is_bad and not r.has_error then a.error_message else r.error_message end,
           credits = coalesce((select pays from owed where owed.id = a.id), a.credits),
           provider_message_id = r.provider_message_id
       from reported r join old using (id)
       where a.id = r.id and a.id between $2::uuid and $3::uuid and ${rankSql('r.status')} > ${rankSql('a.status')}
       returning a.*, old.was_accepted, old.was_bad
     ), ${eventCtes('$4::uuid[]', [smsEvents('raised', 'raised', IS_NEWS('raised'))])}
     select id, was_accepted from raised where ${ANNOUNCE_EVENTS}`,
    [asJson(rows), ids[0], ids.at(-1), accounts, owing],
  );
}

/** Attempts that turn out to be accepted. */
const PROVEN = `(
    select t.* from old join reported r using (id) join attempts t on t.id = old.id and t.id between $2::uuid and $3::uuid
    where not old.was_accepted and r.status in ${PROOFS} and t.channel = 'sms'
  ) a`;

function attemptChange({ id, pin_id: pinId, provider_message_id }: Match, receipt: Receipt) {
  const { status, errorCode } = receipt;
  const errorMessage = pinId === null ? receipt.errorMessage : (receipt.errorMessage?.replaceAll(NUMBER, '…') ?? null);
  return {
    id,
    provider_message_id,
    status,
    is_bad: status === 'failed' || status === 'expired',
    has_error: errorCode !== null || errorMessage !== null,
    error_code: storable(errorCode),
    error_message: storable(errorMessage),
  };
}

/** A provider's words, without what the database cannot keep. */
function storable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll('\u0000', '');
}
