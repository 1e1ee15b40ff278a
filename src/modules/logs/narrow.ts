/** What a filter of the log comes to, where other tables know more than the log. */
import type { Ctx } from '../../context.ts';
import { attemptsFloor } from '../messaging/list-messages.ts';
import { Message } from '../messaging/message.entity.ts';
import type { LogCriteria } from './log-filter.policy.ts';

/** The most messages with one reference that are followed. A reference is unique in an area for 30 days. */
const REFERENCE_MESSAGES_MAX = 1_000;

/** The messages that the filter names (null: it names none), and the lowest uuid that passes; null where nothing can pass. */
export async function narrow(
  ctx: Ctx,
  criteria: LogCriteria,
): Promise<{ readonly messageIds: readonly string[] | null; readonly from: string | null } | null> {
  const messageIds = await findMessageIds(ctx, criteria);
  if (messageIds?.length === 0) return null;
  // Attempts are not older than their messages, so older partitions are skipped.
  const floor = messageIds ? attemptsFloor(messageIds) : null;
  const bounds = [criteria.from, floor].filter(bound => bound !== null).sort();
  return { messageIds, from: bounds.at(-1) ?? null };
}

/**
 * The messages that the filter names; null if it names none. The index of the messages has the reference; one on the
 * attempts would cost a write at each send.
 */
async function findMessageIds(ctx: Ctx, { equals }: LogCriteria): Promise<string[] | null> {
  const { accountId, reference, messageId } = equals;
  if (messageId !== undefined) return [messageId];
  if (reference === undefined) return null;
  const messages = await ctx.em.find(
    Message,
    { accountId, reference },
    { fields: ['id'], orderBy: { id: 'desc' }, limit: REFERENCE_MESSAGES_MAX, disableIdentityMap: true },
  );
  return messages.map(message => message.id);
}
