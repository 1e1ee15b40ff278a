/** The verbs that read messages and their attempts. Another account's rows, or another area's, do not exist for the caller. */
import type { FilterQuery } from '@mikro-orm/core';
import type { Ctx } from '../../context.ts';
import {
  byIds,
  given,
  idBounds,
  keyRange,
  type Looked,
  look,
  NEWEST_FIRST,
  type Page,
  readPage,
  readPageByLook,
  rowsBy,
} from '../../db/page.ts';
import { lookBounds } from '../../db/statements/look.sql.ts';
import { idTime, parseId, toUuid, uuidFloorAfter } from '../../kernel/ids.ts';
import { parsePhone } from '../../kernel/phone.ts';
import { type ReadScope, readScope } from '../accounts/read-scope.ts';
import { Attempt, byRoute, type ChannelAttempt, isChannelAttempt } from '../routing/attempt.entity.ts';
import { withUnderWay } from '../routing/under-way.ts';
import { LIST_BY_RECIPIENT, LOOK_AT_MESSAGES } from './list-messages.sql.ts';
import { Message } from './message.entity.ts';
import type { ListMessagesInput } from './message-filter.input.ts';
import { MESSAGE } from './message-kind.ts';

/**
 * The messages that the caller may see, newest first. A token of the area `otp` sees none. Those to a recipient are found by its entries of the log, up to
 * 1,000. By channel, status or more of a recipient a page searches the newest 100,000. Such a page may be short, and the next one goes on from there.
 * @throws AppError `invalid_input`, and as `readScope`
 */
export async function listMessages(ctx: Ctx, input: ListMessagesInput): Promise<Page<Message>> {
  const scope = readScope(ctx);
  const { filter, ...page } = input;
  const { channel, status, recipient, reference, from, to, ...unread } = filter ?? {};
  // A member of the filter that nothing reads does not compile.
  unread satisfies Record<string, never>;
  const digits = recipient == null ? null : (parsePhone(recipient)?.digits ?? null);
  const narrows = { channel: channel ?? null, status: status ?? null, recipient: digits };
  const isNarrowed = Object.values(narrows).some(value => value !== null);
  // Few have the same reference, which has an index.
  if (isNarrowed && reference == null && !seesNoMessages(scope))
    return readPageByLook(page, (before, limit) => lookAt(ctx, scope, { ...narrows, from, to }, before, limit));
  return readPage(page, async (before, limit) => {
    if (seesNoMessages(scope)) return [];
    const where: FilterQuery<Message> = {
      ...scope,
      ...given({ channel, status, recipient: digits, reference }),
      ...keyRange(...idBounds(from, to), before),
    };
    return ctx.em.find(Message, where, { ...NEWEST_FIRST, limit });
  });
}

interface Narrowed extends Readonly<Record<'channel' | 'status' | 'recipient', string | null>> {
  readonly from: Date | null | undefined;
  readonly to: Date | null | undefined;
}

/** One look: the messages that pass. Those to a recipient come by its entries of the log, where these are not too many. */
async function lookAt(
  ctx: Ctx,
  { accountId, area }: ReadScope,
  { from, to, ...filter }: Narrowed,
  before: string | null,
  limit: number,
): Promise<Looked<Message>> {
  const sql = ctx.services.database.sql(ctx.signal);
  const bounds = lookBounds(...idBounds(from, to), before);
  const values = { ...filter, ...bounds, account: toUuid(accountId) };
  const rowsOf = rowsBy('msg', ids => ctx.em.find(Message, { id: { $in: ids } }, NEWEST_FIRST));
  if (filter.recipient !== null) {
    const entriesFrom = from ? uuidFloorAfter([from]) : bounds.from;
    const known = await LIST_BY_RECIPIENT.first(sql, { ...values, area: area ?? null, entriesFrom, limit });
    if (known?.isAll) return { rows: await rowsOf(known.ids.map(id => ({ id }))), end: null };
  }
  return look(sql, LOOK_AT_MESSAGES[area ? 'sms' : 'account'], values, limit, rowsOf);
}

/** A message that the caller may see; null where there is none, for a malformed id too. @throws as `readScope`. */
export async function findMessage(ctx: Ctx, messageId: string): Promise<Message | null> {
  const scope = readScope(ctx);
  const id = parseId('msg', messageId);
  return id === null || seesNoMessages(scope) ? null : ctx.em.findOne(Message, { ...scope, id });
}

/**
 * The attempts of messages, for each id in turn; none for a message that the caller may not see. In the order of the route, then of time, as a send
 * answers them. @throws as `readScope`.
 */
export async function loadAttempts(ctx: Ctx, messageIds: readonly string[]): Promise<ChannelAttempt[][]> {
  const scope = readScope(ctx);
  const ids = messageIds.flatMap(id => parseId('msg', id) ?? []);
  if (ids.length === 0 || seesNoMessages(scope)) return messageIds.map(() => []);
  const options = { disableIdentityMap: true };
  const messages = await byIds(ids, some => ctx.em.find(Message, { ...scope, id: { $in: some } }, options));
  const attempts = await byIds(ids, some => {
    const where = { ...scope, messageId: { $in: some }, ...keyRange(attemptsFloor(some), null) };
    return ctx.em.find(Attempt, where, options);
  });
  const byMessage = Map.groupBy(attempts.filter(isChannelAttempt), attempt => attempt.messageId);
  const byId = new Map(messages.map(message => [message.id, message]));
  return messageIds.map(id => {
    const message = byId.get(parseId('msg', id) ?? '');
    if (!message) return [];
    const made = withUnderWay(byMessage.get(message.id), message, MESSAGE.attemptOf(message));
    return made.sort(byRoute(message.channels));
  });
}

/** The lowest uuid that an attempt of these messages can have: it is made after its message. Leaves out the older partitions. */
export function attemptsFloor(messageIds: readonly string[]): string {
  return uuidFloorAfter(messageIds.map(idTime));
}

function seesNoMessages(scope: ReadScope): boolean {
  return scope.area === 'otp';
}
