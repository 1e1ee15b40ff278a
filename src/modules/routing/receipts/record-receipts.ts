/** The verb *record receipts*: what providers report later about attempts that they accepted. Late, twice and out of order is normal. */
import type { Receipt } from '../../../channels/contract.ts';
import type { Ctx } from '../../../context.ts';
import { defineStatementBatch } from '../../../db/batch.ts';
import type { Database } from '../../../db/orm.ts';
import { type RangedIds, rangedIds } from '../../../db/statements/ranged-ids.ts';
import type { Sql } from '../../../db/statements/sql.ts';
import type { Answer } from '../../../db/statements/statement.ts';
import { publicMessage } from '../../../kernel/attempt-errors.ts';
import { parseId, toUuid } from '../../../kernel/ids.ts';
import { hideDigits } from '../../../kernel/phone.ts';
import { canMove } from '../../../kernel/status.ts';
import { isStorableText, storableText } from '../../../kernel/storable.ts';
import { END_WAITS } from '../follow-ups/follow-ups.sql.ts';
import { LOCK_ACCOUNTS, LOCK_SENDS } from '../settle.sql.ts';
import { FILL_IDS, FILL_PRICES } from './fills.sql.ts';
import { gatherParts } from './parts.ts';
import {
  CONFIRM,
  FIND_ATTEMPTS,
  RAISE_ATTEMPTS,
  RAISE_MESSAGES,
  RAISE_OTPS,
  TELL_UNDELIVERED_OTPS,
} from './receipts.sql.ts';

/** The result of a receipt. `raised`: an attempt changed; `ignored`: nothing new (of the whole text); `unmatched`: no attempt of that provider has its id. */
type ReceiptResult = 'raised' | 'ignored' | 'unmatched';

/** Digits from which on a number could be the code of an OTP: a receipt may repeat the text, and the code is kept nowhere. */
const CODE_DIGITS = 4;

/** An attempt that a receipt is about. */
type Match = Answer<typeof FIND_ATTEMPTS>;

/**
 * Records receipts, together with what others record at the same time, and answers what became of each, in order. A status moves only up the ranks, so the
 * end is the same in whatever order and however often they come. `unmatched` may be early: the commit that stores the provider's
 * id can still be under way, and the same receipts may be recorded again.
 * @throws AppError `database_unavailable`.
 */
export async function recordReceipts(ctx: Ctx, receipts: readonly Receipt[]): Promise<ReceiptResult[]> {
  const { database, metrics, traces } = ctx.services;
  const recordings = await record(database)(receipts);
  for (const [index, { provider, connectionId, status }] of receipts.entries()) {
    const { result, country, sendId } = recordings[index] ?? IGNORED;
    metrics.receipts.inc({ provider, result });
    if (traces && sendId) {
      const own = { provider, connection_id: connectionId, status, result };
      traces.begin(sendId, 'receipt', { own, request: ctx.request }).end();
    }
    if (connectionId == null || result !== 'raised') continue;
    metrics.connectionReceipts.inc({ connection: connectionId, country: country ?? 'none', status });
  }
  return recordings.map(({ result }) => result);
}

/** The send of an attempt, and the country of its recipient. */
interface Place {
  readonly country?: string | null;
  /** The uuid of the send. */
  readonly sendId?: string | null;
}

/** The result of a receipt, with the place of its attempt. */
interface Recording extends Place {
  readonly result: ReceiptResult;
}

const IGNORED: Recording = { result: 'ignored' };

/** Whether a receipt says that it has arrived. */
function isArrival({ status }: Receipt): boolean {
  return status === 'delivered' || status === 'read';
}

function named({ provider, connectionId, providerMessageId, attemptId }: Receipt) {
  const id = attemptId == null ? null : parseId('att', attemptId);
  const connection = connectionId == null ? null : toUuid(connectionId);
  return { provider, connection_id: connection, provider_message_id: providerMessageId, attempt_id: id && toUuid(id) };
}

type MatchRow = Pick<Match, 'provider' | 'connection_id' | 'provider_message_id' | 'attempt_id'>;

function keyOfRow({ provider, connection_id, provider_message_id, attempt_id }: MatchRow): string {
  return JSON.stringify([provider, connection_id, provider_message_id, attempt_id]);
}

/** The attempt that it names is a part of the key: a provider may give an id again. */
function keyOf(receipt: Receipt): string {
  return keyOfRow(named(receipt));
}

/** The receipt that tells most of each key; the first of equals. */
function bestReceipts(receipts: readonly Receipt[]): Map<string, Receipt> {
  const best = new Map<string, Receipt>();
  for (const receipt of receipts) {
    // Such an id cannot have been stored, and would fail the statement for its neighbours.
    if (!isStorableText(receipt.provider) || !isStorableText(receipt.providerMessageId)) continue;
    const key = keyOf(receipt);
    const known = best.get(key);
    if (!known || canMove(known.status, receipt.status)) best.set(key, receipt);
  }
  return best;
}

/** The prices of messages, by the key of their receipts. */
type Prices = ReadonlyMap<string, NonNullable<Receipt['pricing']>>;

/** The receipts of attempts that they may raise. */
interface Told {
  readonly matches: readonly Match[];
  readonly byKey: ReadonlyMap<string, Receipt>;
  readonly prices: Prices;
}

/** The prices of what has arrived: providers tell them with `delivered` or `read`, in any order. Of two, the one with the higher status counts. */
function pricesOf(receipts: readonly Receipt[]): Prices {
  const told = new Map<string, Receipt>();
  for (const receipt of receipts) {
    const known = told.get(keyOf(receipt));
    if (receipt.pricing && isArrival(receipt) && (!known || canMove(known.status, receipt.status)))
      told.set(keyOf(receipt), receipt);
  }
  return new Map([...told].flatMap(([key, { pricing }]) => (pricing ? [[key, pricing] as const] : [])));
}

/** The attempts that were found and those that were raised, by key. */
interface Recorded {
  readonly matched: ReadonlyMap<string, Place>;
  readonly raised: ReadonlySet<string>;
}

/** Records what several callers bring at once: the receipts of many are a statement, and a transaction of what it leaves. */
const record = defineStatementBatch<readonly Receipt[], Recording[]>('receipts', async (sql, groups, _by, database) => {
  const wholes = (await gatherParts(sql, groups.flat())).values();
  const brought = groups.map(receipts => receipts.map(() => wholes.next().value ?? null));
  const whole = brought.flat().filter(receipt => receipt !== null);
  const best = bestReceipts(whole);
  const prices = pricesOf(whole);
  const confirmed = await confirm(sql, [...best.values()].filter(isArrival), prices);
  const others = [...best].filter(([key]) => !confirmed.has(key)).map(([, receipt]) => receipt);
  const { matched, raised } = others.length === 0 ? NOTHING : await recordOthers(sql, others, prices, database);
  const resultOf = (receipt: Receipt | null): Recording => {
    if (receipt === null) return IGNORED;
    const key = keyOf(receipt);
    const place = confirmed.get(key) ?? matched.get(key);
    if (!place) return { result: 'unmatched' };
    const isNews = confirmed.has(key) || raised.has(key);
    return { ...place, result: isNews && best.get(key) === receipt ? 'raised' : 'ignored' };
  };
  return brought.map(receipts => receipts.map(resultOf));
});

const NOTHING: Recorded = { matched: new Map(), raised: new Set() };

/** Records arrivals of accepted attempts, and answers those recorded, by key. The others take a transaction. */
async function confirm(sql: Sql, arrivals: readonly Receipt[], prices: Prices): Promise<ReadonlyMap<string, Place>> {
  if (arrivals.length === 0) return NOTHING.matched;
  const receipts = arrivals.map(receipt => ({
    ...named(receipt),
    status: receipt.status,
    pricing: prices.get(keyOf(receipt)) ?? null,
  }));
  return new Map(
    (await CONFIRM.run(sql, { receipts })).map(row => [keyOfRow(row), { country: row.country, sendId: row.send_id }]),
  );
}

/** Records receipts whose attempts have to be looked at first. Most tell nothing new, and take no transaction. */
async function recordOthers(
  sql: Sql,
  receipts: readonly Receipt[],
  prices: Prices,
  { prepared }: Database,
): Promise<Recorded> {
  const found = await FIND_ATTEMPTS.run(sql, { receipts: receipts.map(named) });
  const placeOf = ({ country, message_id, pin_id }: Match): Place => ({ country, sendId: message_id ?? pin_id });
  const matched = new Map(found.map(match => [keyOfRow(match), placeOf(match)]));
  const byKey = new Map(receipts.map(receipt => [keyOf(receipt), receipt]));
  const best = new Map<string, Match>();
  for (const match of found) {
    const known = best.get(match.id);
    const before = (known && byKey.get(keyOfRow(known))?.status) ?? match.status;
    const receipt = byKey.get(keyOfRow(match));
    // A status that does not move up now never will: it locks nothing.
    if (receipt && canMove(before, receipt.status)) best.set(match.id, match);
  }
  const matches = [...best.values()];
  // The price of one that was overtaken by a higher status is as true.
  const priced = found.flatMap(match => {
    const pricing = matches.includes(match) ? undefined : prices.get(keyOfRow(match));
    return pricing ? [{ id: match.id, pricing }] : [];
  });
  if (priced.length > 0) await FILL_PRICES.run(sql, { priced });
  const told = found.filter(match => !match.has_id && !best.has(match.id));
  if (told.length > 0)
    await FILL_IDS.run(sql, { told: told.map(({ id, provider_message_id }) => ({ id, provider_message_id })) });
  if (matches.length === 0) return { matched, raised: NOTHING.raised };
  return { matched, raised: await prepared.transaction(within => raise(within, { matches, byKey, prices })) };
}

/**
 * Locks, raises attempts, then messages and OTPs; answers the keys of those raised. Locks come before any change: accounts that may be charged, then sends,
 * each in the order of their ids, as in a settle. Two receipts of one message, from two processes, wait for each other here. The second then sees the first's
 * attempts when it picks the best. Without the lock each could miss the other's, and leave the message below its attempts.
 */
async function raise(sql: Sql, told: Told): Promise<ReadonlySet<string>> {
  const { matches } = told;
  const paying = [...new Set(matches.filter(match => match.may_owe).map(match => match.account_id))].sort();
  if (paying.length > 0) await LOCK_ACCOUNTS.run(sql, { ids: paying });
  const messages = rangedIds(matches.flatMap(match => match.message_id ?? []));
  if (messages.ids.length > 0) await LOCK_SENDS.messages.run(sql, messages);
  const pins = rangedIds(matches.flatMap(match => match.pin_id ?? []));
  if (pins.ids.length > 0) await LOCK_SENDS.otps.run(sql, pins);
  const accounts = [...new Set(matches.map(match => match.account_id))];
  const raised = await raiseAttempts(sql, told, accounts);
  const keys = new Map(matches.map(match => [match.id, keyOfRow(match)]));
  const turnedOut = raised.filter(row => !row.was_accepted).map(row => row.id);
  if (raised.length > 0 && messages.ids.length > 0) await RAISE_MESSAGES.run(sql, { ...messages, turnedOut, accounts });
  if (turnedOut.length > 0 && pins.ids.length > 0) await RAISE_OTPS.run(sql, { attempts: turnedOut, accounts });
  const lostOtps = lostOf(raised, told);
  if (lostOtps.length > 0) await TELL_UNDELIVERED_OTPS.run(sql, { ...pins, attempts: lostOtps, accounts });
  if (raised.some(row => row.is_awaited)) await endWaits(sql, raised, messages, accounts);
  return new Set(raised.flatMap(row => keys.get(row.id) ?? []));
}

/** The attempts of OTPs that a provider had accepted, and that are reported as undelivered. */
function lostOf(raised: readonly Answer<typeof RAISE_ATTEMPTS>[], { matches, byKey }: Told): string[] {
  const accepted = new Set(raised.filter(row => row.was_accepted).map(row => row.id));
  return matches.flatMap(match => {
    const status = byKey.get(keyOfRow(match))?.status;
    const isLost = match.pin_id !== null && accepted.has(match.id) && (status === 'failed' || status === 'expired');
    return isLost ? [match.id] : [];
  });
}

async function endWaits(
  sql: Sql,
  raised: readonly { readonly id: string }[],
  messages: RangedIds,
  accounts: readonly string[],
): Promise<void> {
  await END_WAITS.run(sql, {
    ...rangedIds(raised.map(({ id }) => id)),
    messages: messages.ids,
    lowestMessage: messages.lowestId,
    highestMessage: messages.highestId,
    accounts,
  });
}

async function raiseAttempts(
  sql: Sql,
  { matches, byKey, prices }: Told,
  accounts: readonly string[],
): Promise<Answer<typeof RAISE_ATTEMPTS>[]> {
  const reported = matches.flatMap(match => {
    const receipt = byKey.get(keyOfRow(match));
    return receipt ? [{ ...attemptChange(match, receipt), pricing: prices.get(keyOfRow(match)) ?? null }] : [];
  });
  const { lowestId, highestId } = rangedIds(reported.map(row => row.id));
  return RAISE_ATTEMPTS.run(sql, {
    reported,
    lowestId,
    highestId,
    accounts,
    owingAccounts: matches.filter(match => match.may_owe).map(match => match.account_id),
  });
}

function attemptChange({ id, pin_id: pinId, provider_message_id }: Match, receipt: Receipt) {
  const { status, errorCode } = receipt;
  const errorMessage =
    pinId === null ? receipt.errorMessage : receipt.errorMessage && hideDigits(receipt.errorMessage, CODE_DIGITS);
  const publicWords = errorMessage && publicMessage({ code: errorCode ?? '', message: errorMessage });
  return {
    id,
    provider_message_id,
    status,
    is_bad: status === 'failed' || status === 'expired',
    has_error: errorCode !== null || errorMessage !== null,
    error_code: errorCode === null ? null : storableText(errorCode),
    error_message: errorMessage === null ? null : storableText(errorMessage),
    public_message: publicWords === null ? null : storableText(publicWords),
  };
}
