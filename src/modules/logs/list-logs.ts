/** The verb *list logs*: every attempt, and every OTP outcome that is not a send, newest first. */
import type { FilterQuery } from '@mikro-orm/core';
import type { Ctx } from '../../context.ts';
import { inSlices, keyRange, look, NEWEST_FIRST, type Page, readPageByLook, rowsBy } from '../../db/page.ts';
import { readScope } from '../accounts/read-scope.ts';
import { Attempt } from '../routing/attempt.entity.ts';
import { filterValues } from './filtered.sql.ts';
import type { ListLogsInput } from './log-filter.input.ts';
import { type LogCriteria, type Narrowed, readLogFilter } from './log-filter.policy.ts';
import { LOOK_BY } from './look.sql.ts';
import { narrow, wayOf } from './narrow.ts';
import { readingPage } from './settled.ts';

/**
 * The log entries that the caller may see. An unknown or another account's message id finds nothing. If no index covers the whole filter, a page
 * searches the newest 100,000 entries that an index finds. Such a page may be shorter than asked for, and the next one goes on from there.
 * @throws AppError `invalid_input` on `after`; and as `readScope`
 */
export function listLogs(ctx: Ctx, input: ListLogsInput): Promise<Page<Attempt>> {
  return readingPage(ctx, input, on => listEntries(on, input));
}

async function listEntries(ctx: Ctx, input: ListLogsInput): Promise<Page<Attempt>> {
  const scope = readScope(ctx);
  const { filter, ...page } = input;
  const criteria = readLogFilter(scope, filter ?? {});
  return readPageByLook(page, async (before, limit) => {
    const narrowed = criteria && (await narrow(ctx, criteria));
    if (!narrowed) return { rows: [], end: null };
    const { by, isWhole } = wayOf(criteria, narrowed);
    if (isWhole) return { rows: await inSlices(wholeFinder(ctx, criteria, narrowed))(before, limit), end: null };
    const rowsOf = rowsBy('att', ids => ctx.em.find(Attempt, { id: { $in: ids } }, NEWEST_FIRST));
    const values = filterValues(criteria, narrowed, before);
    return look(ctx.services.database.sql(ctx.signal), LOOK_BY[by], values, limit, rowsOf);
  });
}

/** Finds entries by a filter that an index has whole. */
function wholeFinder(ctx: Ctx, criteria: LogCriteria, { messageIds, from }: Narrowed) {
  return (before: string | null, limit: number): Promise<Attempt[]> => {
    const where: FilterQuery<Attempt> = {
      ...criteria.equals,
      ...(criteria.types ? { $and: [{ type: { $in: [...criteria.types] } }] } : {}),
      ...(messageIds ? { messageId: { $in: [...messageIds] } } : {}),
      ...keyRange(from, criteria.to, before),
    };
    return ctx.em.find(Attempt, where, { ...NEWEST_FIRST, limit });
  };
}
