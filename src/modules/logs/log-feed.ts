import type { Ctx } from '../../context.ts';
import { defineFeed } from '../../db/feeds/feed.ts';
import { uuidFloor } from '../../kernel/ids.ts';
import { readScope } from '../accounts/read-scope.ts';
import { followWhileAllowed } from '../accounts/still-allowed.ts';
import { shareNames } from '../connections/name-connections.ts';
import { LOG_CHANNEL } from '../routing/announce-log.ts';
import { Attempt } from '../routing/attempt.entity.ts';
import type { LogFilter } from './log-filter.input.ts';
import { matchesFilter, readLogFilter } from './log-filter.policy.ts';

/**
 * The most by which an attempt may be older than its outcome, to be read again after a lost connection. Requests, their recovery and most receipts take
 * less time. A receipt that came meanwhile for an older attempt is not told.
 */
const ATTEMPT_MS = 300_000;

/** The feed of the log of an open database. */
export const logFeedOf = defineFeed<Attempt>({
  channel: LOG_CHANNEL,
  prefix: 'att',
  async load(database, ids, accountIds) {
    const where = { id: { $in: [...ids] }, accountId: { $in: [...accountIds] } };
    const attempts = await database.fork().find(Attempt, where);
    shareNames(database, attempts);
    return attempts;
  },
  loadSince: (database, accountId, since, limit) =>
    database.fork().find(
      Attempt,
      {
        accountId,
        id: { $gte: uuidFloor(new Date(since.getTime() - ATTEMPT_MS)) },
        $or: [{ finishedAt: { $gte: since } }, { reportedAt: { $gte: since } }],
      },
      { orderBy: { id: 'desc' }, limit },
    ),
  happenedAt: attempt => attempt.reportedAt ?? attempt.finishedAt ?? null,
  // A receipt changes the status: the entry is told again.
  versionOf: ({ id, status }) => `${id} ${status}`,
});

/**
 * The verb *follow logs*: log entries that pass the filter, each when its outcome is known, and again when a receipt changes its status. Complete from when the
 * promise resolves. Ends when `ctx.signal` aborts or the caller returns.
 * @throws AppError as `readScope` and `followWhileAllowed`
 */
export async function followLogs(
  ctx: Ctx,
  filter?: LogFilter | null,
): Promise<AsyncIterableIterator<Attempt, undefined>> {
  const scope = readScope(ctx);
  const criteria = readLogFilter(scope, filter ?? {});
  const matches = (attempt: Attempt): boolean => criteria !== null && matchesFilter(attempt, criteria);
  return followWhileAllowed(ctx, logFeedOf(ctx.services.database), { accountId: scope.accountId, matches }, readScope);
}
