/** The verb *record receipts*: what providers report later about attempts that they accepted. Late, twice and out of order is normal. */
import type { Receipt } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import { defineBatch } from '../../db/batch.ts';
import { asJson, runSql, type Sql } from '../../db/sql.ts';
import { canMove, STATUS_RANK, type Status } from '../../kernel/status.ts';
import { isStorableText } from '../../kernel/storable.ts';

/** What became of a receipt: it raised an attempt, it told nothing new, or no attempt of that provider is known by its id. */
export type ReceiptResult = 'raised' | 'ignored' | 'unmatched';

/** Which status of its attempts a message shows: the best that is true of any of them. */
const BEST_FIRST: readonly Status[] = ['read', 'delivered', 'sent', 'pending', 'unknown', 'expired', 'failed'];

/** Statuses that prove that the provider took the message, whatever was believed before. */
const PROOFS = `('delivered', 'read')`;

/** What could be the code of an OTP, whole or in groups of digits. Its receipt may repeat the text, and nobody here knows the code. */
const NUMBER = /[0-9](?:[^0-9A-Za-z]{0,3}[0-9]){3,}/g;

/** An attempt that a receipt is about. */
interface Match {
  id: string;
  message_id: string | null;
  pin_id: string | null;
  provider: string;
  provider_message_id: string;
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
 * Find, lock, raise attempts, raise messages, in this order. The lock comes before any change, on messages and in the order of
 * their ids: a settle takes the message before its attempts too, and two receipts of one message, from two processes, wait for
 * each other here. The one that waited then sees the other's attempts when it picks the best of them; without the lock each
 * could miss the other's and leave the message below its attempts.
 */
async function applyReceipts(sql: Sql, receipts: readonly Receipt[]): Promise<Recorded> {
  const matches = await findAttempts(sql, receipts);
  if (matches.length === 0) return { matched: new Set(), raised: new Set() };
  const messageIds = [...new Set(matches.flatMap(match => match.message_id ?? []))].sort();
  if (messageIds.length > 0) await lockMessages(sql, messageIds);
  const pinIds = [...new Set(matches.flatMap(match => match.pin_id ?? []))].sort();
  if (pinIds.length > 0) await lockOtps(sql, pinIds);
  const raised = await raiseAttempts(sql, matches, receipts);
  const found = new Map(matches.map(match => [match.id, keyOf(match.provider, match.provider_message_id)]));
  if (raised.length > 0 && messageIds.length > 0) {
    const turned = raised.filter(row => !row.was_accepted).map(row => row.id);
    await raiseMessages(sql, messageIds, turned);
  }
  const proven = raised.filter(row => !row.was_accepted).map(row => row.id);
  if (proven.length > 0 && pinIds.length > 0) await raiseOtps(sql, proven);
  return { matched: new Set(found.values()), raised: new Set(raised.flatMap(row => found.get(row.id) ?? [])) };
}

async function findAttempts(sql: Sql, receipts: readonly Receipt[]): Promise<Match[]> {
  const rows = receipts.map(receipt => ({
    provider: receipt.provider,
    provider_message_id: receipt.providerMessageId,
  }));
  return runSql<Match>(
    sql,
    `select a.id, a.message_id, a.pin_id, a.provider, a.provider_message_id
     from json_to_recordset($1::json) as r(provider text, provider_message_id text)
     join attempts a on a.provider_message_id = r.provider_message_id and a.provider = r.provider`,
    [asJson(rows)],
  );
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

/** An OTP that was thought to have failed has arrived after all: its code can be verified, where no newer one took its place. */
async function raiseOtps(sql: Sql, attemptIds: readonly string[]): Promise<void> {
  await runSql(
    sql,
    `update otps o
     set channel = coalesce(o.channel, a.channel),
         status = case when o.status = 'failed' and not exists (
           select from otps newer where newer.account_id = o.account_id and newer.area = o.area
             and newer.recipient = o.recipient and newer.status in ('pending', 'sent')) then 'sent' else o.status end
     from attempts a
     where a.id in (select value::uuid from json_array_elements_text($1::json)) and a.status in ${PROOFS} and o.id = a.pin_id`,
    [JSON.stringify(attemptIds)],
  );
}

/**
 * Raises attempts. A good status clears the error of a bad one that it corrects; a bad one keeps what was known unless it tells
 * more. What was not accepted costs nothing until a receipt proves that it was (contract §4).
 */
async function raiseAttempts(
  sql: Sql,
  matches: readonly Match[],
  receipts: readonly Receipt[],
): Promise<{ id: string; was_accepted: boolean }[]> {
  const byKey = new Map(receipts.map(receipt => [keyOf(receipt.provider, receipt.providerMessageId), receipt]));
  const rows = matches.flatMap(match => {
    const receipt = byKey.get(keyOf(match.provider, match.provider_message_id));
    return receipt ? [attemptChange(match, receipt)] : [];
  });
  const ids = rows.map(row => row.id).sort();
  return runSql(
    sql,
    `update attempts a
     set status = r.status,
         error_code = case when r.is_bad and not r.has_error then a.error_code else r.error_code end,
         error_message = case when r.is_bad and not r.has_error then a.error_message else r.error_message end,
         credits = case when r.status in ${PROOFS} and a.channel = 'sms' then a.segments else a.credits end
     from (
       select x.*, old.status in ('sent', 'delivered', 'read') as was_accepted
       from json_to_recordset($1::json)
         as x(id uuid, status text, is_bad boolean, has_error boolean, error_code text, error_message text)
       join attempts old on old.id = x.id and old.id between $2::uuid and $3::uuid
     ) r
     where a.id = r.id and a.id between $2::uuid and $3::uuid and ${rankSql('r.status')} > ${rankSql('a.status')}
     returning a.id, r.was_accepted`,
    [asJson(rows), ids[0], ids.at(-1)],
  );
}

function attemptChange({ id, pin_id: pinId }: Match, receipt: Receipt) {
  const { status, errorCode } = receipt;
  const errorMessage = pinId === null ? receipt.errorMessage : (receipt.errorMessage?.replaceAll(NUMBER, '…') ?? null);
  return {
    id,
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

/**
 * Raises messages to the best of their attempts. The channel is the routing's to name while it goes on (the lease is set), but
 * for an attempt that turned out to be accepted against what the routing was told.
 */
async function raiseMessages(sql: Sql, ids: readonly string[], turnedOut: readonly string[]): Promise<void> {
  await runSql(
    sql,
    `with proven as (
       select message_id, channel, id in (select value::uuid from json_array_elements_text($4::json)) as turned_out
       from attempts
       where message_id in (select value::uuid from json_array_elements_text($1::json)) and status in ${PROOFS}
     ), best as (
       -- One look into the index for each message, whatever the planner believes about a table that has just grown.
       select value::uuid as id, (
         select a.status from attempts a where a.message_id = value::uuid
         order by array_position(array[${BEST_FIRST.map(status => `'${status}'`).join(', ')}], a.status) limit 1) as status
       from json_array_elements_text($1::json)
     )
     update messages m
     set status = case when ${rankSql('best.status')} > ${rankSql('m.status')} then best.status else m.status end,
         channel = coalesce(m.channel, (
           select p.channel from proven p
           where p.message_id = m.id and (p.turned_out or m.lease_until is null)
           order by array_position(m.channels, p.channel) limit 1))
     from best
     where m.id = best.id and m.id between $2::uuid and $3::uuid`,
    [JSON.stringify(ids), ids[0], ids.at(-1), JSON.stringify(turnedOut)],
  );
}

/** The rank of a status column, as SQL. */
function rankSql(column: string): string {
  const cases = Object.entries(STATUS_RANK).map(([status, rank]) => `when '${status}' then ${rank}`);
  return `(case ${column} ${cases.join(' ')} end)`;
}
