/** The verb *list logs*: every attempt on a channel, and every outcome of an OTP that is not a send, newest first. */
import type { FilterQuery } from '@mikro-orm/core';
import type { Ctx } from '../../context.ts';
import { keyRange, type Page, readListInput, readPage } from '../../db/page.ts';
import { readScope } from '../accounts/read-scope.ts';
import { attemptsFloor } from '../messaging/list-messages.ts';
import { Message } from '../messaging/message.entity.ts';
import { Attempt } from '../routing/attempt.entity.ts';
import { type ListLogsInput, listLogsInput } from './log-filter.input.ts';
import { type LogCriteria, readLogFilter } from './log-filter.policy.ts';

/** The most messages of one reference that a filter follows. A reference names one message an area for 30 days. */
const REFERENCE_MESSAGES_MAX = 1_000;

/**
 * The entries of the log that the caller may see. A message id that is malformed or another account's finds nothing.
 * @throws AppError `invalid_input` on `first`, `after` or a field of the filter; and as `readScope`.
 */
export async function listLogs(ctx: Ctx, input: ListLogsInput): Promise<Page<Attempt>> {
  const scope = readScope(ctx);
  const { filter, ...page } = readListInput(listLogsInput, input);
  const criteria = readLogFilter(scope, filter ?? {});
  return readPage(page, async (before, limit) => {
    const messageIds = criteria ? await findMessageIds(ctx, criteria) : [];
    if (!criteria || messageIds?.length === 0) return [];
    // What belongs to messages is found by them, and is no older than they are: older partitions are not looked at.
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
 * The messages whose attempts can pass, or null where the filter names none. A reference is looked up among the messages, whose
 * index has it: an index of the attempts would be written at every send for the same answer.
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
