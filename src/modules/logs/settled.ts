/** Leads pages of the log to the replica, where no entry can be missing there. */
import type { Ctx } from '../../context.ts';
import { decodeCursor } from '../../kernel/cursor.ts';
import { reading } from '../reading/reading.ts';
import { entryTime } from './filtered.sql.ts';
import type { ListLogsInput, LogFilter } from './log-filter.input.ts';

/** The age of entries that a replica has for sure: it is less behind than that, and so is a commit behind its id. */
const SETTLED_MS = 60_000;

/** Whether a filter names one send. Its caller may have made it just now. */
export function namesSend(filter: LogFilter | null | undefined): boolean {
  return [filter?.messageId, filter?.pinId, filter?.attemptId, filter?.reference].some(named => named != null);
}

/**
 * Reads a page of the log, from the replica where its cursor is a minute old. The newest entries, and those of one send, come from the primary:
 * otherwise a replica that is behind would leave out entries between two pages. @throws errors of `read`
 */
export function readingPage<Result>(
  ctx: Ctx,
  { filter, after }: ListLogsInput,
  read: (ctx: Ctx) => Promise<Result>,
): Promise<Result> {
  const before = after == null ? null : decodeCursor(after);
  const isSettled = before !== null && entryTime(before).getTime() <= ctx.clock.now().getTime() - SETTLED_MS;
  return isSettled && !namesSend(filter) ? reading(ctx, read) : read(ctx);
}
