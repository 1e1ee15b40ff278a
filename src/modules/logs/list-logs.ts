/** The verb *list logs*: every attempt, and every OTP outcome that is not a send, newest first. */
import type { FilterQuery } from '@mikro-orm/core';
import type { Ctx } from '../../context.ts';
import { keyRange, type Page, readListInput, readPage } from '../../db/page.ts';
import { readScope } from '../accounts/read-scope.ts';
import { Attempt } from '../routing/attempt.entity.ts';
import { type ListLogsInput, listLogsInput } from './log-filter.input.ts';
import { readLogFilter } from './log-filter.policy.ts';
import { narrow } from './narrow.ts';

/**
 * The log entries that the caller may see. An unknown or another account's message id finds nothing.
 * @throws AppError `invalid_input` on `first`, `after` or a field of the filter; and as `readScope`
 */
export async function listLogs(ctx: Ctx, input: ListLogsInput): Promise<Page<Attempt>> {
  const scope = readScope(ctx);
  const { filter, ...page } = readListInput(listLogsInput, input);
  const criteria = readLogFilter(scope, filter ?? {});
  return readPage(page, async (before, limit) => {
    const narrowed = criteria && (await narrow(ctx, criteria));
    if (!narrowed) return [];
    const { messageIds, from } = narrowed;
    const where: FilterQuery<Attempt> = {
      ...criteria.equals,
      ...(criteria.types ? { $and: [{ type: { $in: [...criteria.types] } }] } : {}),
      ...(messageIds ? { messageId: { $in: messageIds } } : {}),
      ...keyRange(from, criteria.to, before),
    };
    return ctx.em.find(Attempt, where, { orderBy: { id: 'desc' }, limit, disableIdentityMap: true });
  });
}
