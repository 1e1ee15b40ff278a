/** The verb *list logs*: every attempt, and every OTP outcome that is not a send, newest first. */
import type { FilterQuery } from '@mikro-orm/core';
import type { Ctx } from '../../context.ts';
import { keyRange, type Page, readListInput, readPage } from '../../db/page.ts';
import { readScope } from '../accounts/read-scope.ts';
import { attemptsFloor } from '../messaging/list-messages.ts';
import { Message } from '../messaging/message.entity.ts';
import { Attempt } from '../routing/attempt.entity.ts';
import { type ListLogsInput, listLogsInput } from './log-filter.input.ts';
import { type LogCriteria, readLogFilter } from './log-filter.policy.ts';

/** The most messages with one reference that are followed. A reference is unique in an area for 30 days. */
const REFERENCE_MESSAGES_MAX = 1_000;

/**
 * The log entries that the caller may see. An unknown or another account's message id finds nothing.
 * @throws AppError `invalid_input` on `first`, `after` or a field of the filter; and as `readScope`
 */
export async function listLogs(ctx: Ctx, input: ListLogsInput): Promise<Page<Attempt>> {
  const scope = readScope(ctx);
  const { filter, ...page } = readListInput(listLogsInput, input);
  const criteria = readLogFilter(scope, filter ?? {});
  return readPage(page, async (before, limit) => {
    const messageIds = criteria ? await findMessageIds(ctx, criteria) : [];
    if (!criteria || messageIds?.length === 0) return [];
    // Attempts are not older than their messages, so older partitions are skipped.
    const floor = messageIds ? attemptsFloor(messageIds) : null;
    const from =
      [criteria.from, floor]
        .filter(bound => bound !== null)
        .sort()
        .at(-1) ?? null;
    const where: FilterQuery<Attempt> = {
      ...criteria.equals,
      ...(criteria.types ? { $and: [{ type: { $in: [...criteria.types] } }] } : {}),
      ...(messageIds ? { messageId: { $in: messageIds } } : {}),
      ...keyRange(from, criteria.to, before),
    };
    return ctx.em.find(Attempt, where, { orderBy: { id: 'desc' }, limit, disableIdentityMap: true });
  });
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
