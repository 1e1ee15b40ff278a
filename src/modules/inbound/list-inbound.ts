/** The verbs *list inbound* and *follow inbound*: what people sent to the senders of the caller's account. */
import type { FilterQuery } from '@mikro-orm/core';
import type { Ctx } from '../../context.ts';
import { defineFeed } from '../../db/feeds/feed.ts';
import { given, idBounds, keyRange, NEWEST_FIRST, type Page, readPage } from '../../db/page.ts';
import { toUuid, uuidFloor } from '../../kernel/ids.ts';
import { parsePhone } from '../../kernel/phone.ts';
import { readScope } from '../accounts/read-scope.ts';
import { followWhileAllowed } from '../accounts/still-allowed.ts';
import { INBOUND_CHANNEL } from './inbound.sql.ts';
import type { InboundFilter, ListInboundInput } from './inbound-filter.input.ts';
import { InboundMessage } from './inbound-message.entity.ts';

/** How much older than its commit an id may be, in milliseconds. */
const COMMIT_MS = 10_000;

/** The messages that came to the account, newest first. @throws AppError `invalid_input`, and as `readScope` */
export async function listInbound(ctx: Ctx, input: ListInboundInput): Promise<Page<InboundMessage>> {
  const { accountId } = readScope(ctx);
  const { filter, ...page } = input;
  const { channel, recipient, sender, from, to, ...unread } = filter ?? {};
  // A member of the filter that nothing reads does not compile.
  unread satisfies Record<string, never>;
  return readPage(page, async (before, limit) => {
    const where: FilterQuery<InboundMessage> = {
      accountId,
      ...given({ channel, fromNumber: recipient && numberOf(recipient), toAddress: sender && senderOf(sender) }),
      ...keyRange(...idBounds(from, to), before),
    };
    return ctx.em.find(InboundMessage, where, { ...NEWEST_FIRST, limit });
  });
}

const inboundFeedOf = defineFeed<InboundMessage>({
  channel: INBOUND_CHANNEL,
  prefix: 'msg',
  load: (database, ids, accountIds) =>
    database.fork().find(InboundMessage, { id: { $in: [...ids] }, accountId: { $in: [...accountIds] } }),
  loadSince: (database, accountId, since, limit) =>
    database
      .fork()
      .find(
        InboundMessage,
        { accountId, id: { $gte: uuidFloor(new Date(since.getTime() - COMMIT_MS)) }, receivedAt: { $gte: since } },
        { orderBy: { id: 'desc' }, limit },
      ),
  happenedAt: ({ receivedAt }) => receivedAt,
});

/**
 * Follows what comes in and passes the filter, from when the promise resolves. Ends when `ctx.signal` aborts or the caller returns.
 * @throws AppError as `readScope` and `followWhileAllowed`
 */
export async function followInbound(
  ctx: Ctx,
  filter?: InboundFilter | null,
): Promise<AsyncIterableIterator<InboundMessage, undefined>> {
  const { accountId } = readScope(ctx);
  const { channel, recipient, sender, from, to, ...unread } = filter ?? {};
  unread satisfies Record<string, never>;
  const matches = (message: InboundMessage): boolean =>
    (channel == null || message.channel === channel) &&
    (recipient == null || message.fromNumber === numberOf(recipient)) &&
    (sender == null || message.toAddress === senderOf(sender)) &&
    (!from || toUuid(message.id) >= uuidFloor(from)) &&
    (!to || toUuid(message.id) < uuidFloor(to));
  return followWhileAllowed(ctx, inboundFeedOf(ctx.services.database), { accountId, matches }, readScope);
}

/** The number of a person, in whatever form it is written. */
function numberOf(recipient: string): string {
  return parsePhone(recipient)?.digits ?? recipient;
}

/** A sender as it is stored: digits may be a short code, and a name stays. */
function senderOf(sender: string): string {
  return /^[0-9]+$/.test(sender) ? sender : numberOf(sender);
}
