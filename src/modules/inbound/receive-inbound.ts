/** The verb *receive inbound*: what people send to our senders, whoever brings it (contract §15). */
import type { Inbound } from '../../channels/contract.ts';
import type { Ctx, Services } from '../../context.ts';
import { defineBatch } from '../../db/batch.ts';
import type { Sql } from '../../db/statements/sql.ts';
import type { Answer } from '../../db/statements/statement.ts';
import { fromUuid, toUuid } from '../../kernel/ids.ts';
import { learnPeople, leaveNumbers, type Sighting } from '../people/learn-people.ts';
import type { SuppressionChange } from '../suppressions/suppressions.sql.ts';
import { heedWords } from './heed-words.ts';
import { type InboundResult, RECEIVE_INBOUND } from './inbound.sql.ts';
import { type Bringer, headOf, type InboundRow, newRow, type StoredRow, seenIdOf, textOf } from './inbound-row.ts';
import { addParts, heldText, type PartRow } from './parts/parts.ts';

/** The fate of a message, or of a part of one, which may wait for the others. */
export interface Received {
  readonly result: InboundResult | 'waiting';
  /** Its id, if it was stored; null: it waits, or a part of it came before. */
  readonly messageId: string | null;
  /** The people whom it put onto the list of the account, or took off. */
  readonly changes: readonly SuppressionChange[];
}

/** The services that storing messages needs. */
type Means = Pick<Services, 'jobs' | 'suppressed'>;

interface Item {
  readonly means: Means;
  readonly bringer: Bringer;
  readonly message: Inbound;
}

/**
 * Two groups of an account would wait for each other's people, and be half as large. One that hangs leaves the others alone: it may wait for the lists of
 * one account.
 */
const receive = defineBatch<Item, Received>('inbound', applyReceive, { aloneMs: 100, inTime: true });

/**
 * Stores what came by a connection or a phone of the sandbox, together with what comes at the same time. When it resolves, all of it is
 * committed, with its entry of the log and its events. A repeat of the provider is known again.
 * @throws AppError `database_unavailable`: the provider has to send it again
 */
export async function receiveInbound(
  ctx: Ctx,
  bringer: Bringer,
  messages: readonly Inbound[],
): Promise<readonly Received[]> {
  const take = receive(ctx.services.database);
  const means = ctx.services;
  const results = await Promise.all(messages.map(message => take({ means, bringer, message })));
  noteInbound(ctx, bringer.providerId, results);
  return results;
}

/** Counts what became of messages, keeps to the stops among them at once, and says where one was dropped. */
export function noteInbound(
  { log, services: { metrics, suppressed } }: Ctx,
  provider: string,
  results: readonly Pick<Received, 'result' | 'changes'>[],
): void {
  for (const { result, changes } of results) {
    metrics.inbound.inc({ provider, result });
    for (const change of changes) suppressed.note(change);
  }
  if (results.some(({ result }) => result === 'unowned'))
    log.warn({ provider }, 'a message came to a sender of no account, or of several; it was dropped');
}

/** Stores whole messages as a part of a transaction. Their people are learned, and their words heeded. Answers what became of each, in order. */
export async function storeInbound(
  sql: Sql,
  { jobs, suppressed }: Means,
  given: readonly InboundRow[],
): Promise<Received[]> {
  if (given.length === 0) return [];
  const messages = inOrder(given);
  const rows = await RECEIVE_INBOUND.run(sql, {
    messages,
    received: messages.map(({ id }) => id),
    logged: messages.map(({ entry_id }) => entry_id),
  });
  const byId = new Map(rows.map(row => [row.id, row]));
  const stored = messages.flatMap((message): (StoredRow & Looked)[] => {
    const { accountId, isNews = false, isHeeded = false } = byId.get(message.id) ?? {};
    return accountId ? [{ ...message, account_id: accountId, isNews, isHeeded }] : [];
  });
  const sightings = stored.flatMap(sightingOf);
  const learned = await learnPeople(sql, suppressed, sightings);
  const heeded = await heedWords(
    sql,
    jobs,
    stored.filter(({ isHeeded }) => isHeeded),
  );
  await leaveNumbers(sql, sightings);
  const changes = Map.groupBy([...learned, ...heeded], ({ account_id }) => account_id);
  return messages.map(({ id }) => {
    const { accountId, result = 'repeated' } = byId.get(id) ?? {};
    const account = accountId ?? '';
    const told = changes.get(account) ?? [];
    // One message of the account brings all of them to the table of the process.
    changes.delete(account);
    return { result, messageId: fromUuid('msg', id), changes: told };
  });
}

/** Messages with ids that rise in their order. Ids of one millisecond have none, and the last word of a person decides. */
function inOrder(messages: readonly InboundRow[]): InboundRow[] {
  const ids = messages.map(({ id }) => id).sort();
  const entries = messages.map(({ entry_id }) => entry_id).sort();
  return messages.map((message, index) => ({
    ...message,
    id: ids[index] ?? message.id,
    entry_id: entries[index] ?? message.entry_id,
  }));
}

/** The look of the statement at a message that it stored. */
type Looked = Pick<Answer<typeof RECEIVE_INBOUND>, 'isNews' | 'isHeeded'>;

/** None: its provider does not say who wrote. */
function sightingOf(message: StoredRow & Looked): (Sighting & Pick<Looked, 'isNews'>)[] {
  // The head of a part that an earlier version stored has no former number.
  const { id, account_id, from_number, from_user_id, former_id, former_number = null } = message;
  const isNews = message.isNews || former_id !== null || former_number !== null;
  const { username: name, channel } = message;
  const seen = { account_id, name, channel, message_id: id, is_theirs: true, isNews } as const;
  const user_id = from_user_id ?? (former_number === null ? null : from_number);
  // The number, the former ones and the new id are one person's.
  const others = [...new Set([from_number, former_id, former_number])].filter(other => other !== null);
  if (others.length === 0) return user_id === null ? [] : [{ ...seen, user_id, number: null }];
  return others
    .filter(number => number !== user_id)
    .map(number => {
      const is_left = number === former_number;
      return { ...seen, user_id, number, is_left, is_doubtful: is_left && former_id !== null };
    });
}

async function applyReceive(sql: Sql, items: readonly Item[]): Promise<Received[]> {
  const parts = items.flatMap(item => partOf(item) ?? []);
  const added = await addParts(sql, parts);
  const given = items.map(item => (partOf(item) ? (added.shift() ?? 'repeated') : wholeOf(item)));
  const messages = [...new Set(given.filter(row => typeof row === 'object'))];
  // All items of a process have the same means.
  const stored = items[0] ? await storeInbound(sql, items[0].means, messages) : [];
  const results = new Map(messages.map((message, index) => [message, stored[index]]));
  return given.map(row => {
    if (typeof row === 'string') return { result: row, messageId: null, changes: [] };
    return results.get(row) ?? { result: 'repeated', messageId: null, changes: [] };
  });
}

function wholeOf({ bringer, message }: Item): InboundRow {
  return newRow(headOf(bringer, message), textOf(message), seenIdOf(bringer, message));
}

/** Null: it is the whole. */
function partOf({ bringer, message }: Item): PartRow | null {
  const { part } = message;
  if (part === undefined || part.total < 2 || bringer.id === null) return null;
  const head = { ...headOf(bringer, message), connection_id: toUuid(bringer.id) };
  return { head, seenId: seenIdOf(bringer, message), text: heldText(textOf(message) ?? ''), part };
}
