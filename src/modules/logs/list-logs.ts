/** The verb *list logs*: every attempt, and every OTP outcome that is not a send, newest first. */
import type { FilterQuery } from '@mikro-orm/core';
import type { Ctx } from '../../context.ts';
import { byIds, inSlices, keyRange, type Page, readPageAtOnce } from '../../db/page.ts';
import { encodeCursor } from '../../kernel/cursor.ts';
import { fromUuid } from '../../kernel/ids.ts';
import { readScope } from '../accounts/read-scope.ts';
import { Attempt } from '../routing/attempt.entity.ts';
import { filterValues } from './filtered.sql.ts';
import type { ListLogsInput } from './log-filter.input.ts';
import { type LogCriteria, type Narrowed, readLogFilter } from './log-filter.policy.ts';
import { END_OF_LOOK, LIST_FILTERED } from './look.sql.ts';
import { narrow, wayOf } from './narrow.ts';
import { readingPage } from './settled.ts';

const NEWEST_FIRST = { orderBy: { id: 'desc' }, disableIdentityMap: true } as const;

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
  let end: string | null = null;
  const read = await readPageAtOnce(page, async (before, limit) => {
    const narrowed = criteria && (await narrow(ctx, criteria));
    if (!narrowed) return [];
    if (wayOf(criteria, narrowed).isWhole) return inSlices(wholeFinder(ctx, criteria, narrowed))(before, limit);
    const looked = await look(ctx, criteria, narrowed, before, limit);
    end = looked.end;
    return byIds(looked.ids, ids => ctx.em.find(Attempt, { id: { $in: [...ids] } }, NEWEST_FIRST));
  });
  return end === null ? read : { ...read, endCursor: encodeCursor(end), hasNextPage: true };
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

/** One look: the ids of the entries that pass, and where it ended before the log did; null: it did not. */
async function look(
  ctx: Ctx,
  criteria: LogCriteria,
  narrowed: Narrowed,
  before: string | null,
  limit: number,
): Promise<{ readonly ids: readonly string[]; readonly end: string | null }> {
  const sql = ctx.services.database.sql(ctx.signal);
  const { by } = wayOf(criteria, narrowed);
  const values = filterValues(criteria, narrowed, before);
  const ids = (await LIST_FILTERED[by].run(sql, { ...values, limit })).map(({ id }) => id);
  const last = ids.length < limit ? await END_OF_LOOK[by].first(sql, values) : undefined;
  // New entries between both statements move `last` up; the next page must not list an id again.
  const [end = null] = last ? [last.id, ids.at(-1) ?? last.id].sort() : [];
  return { ids: ids.map(id => fromUuid('att', id)), end };
}
