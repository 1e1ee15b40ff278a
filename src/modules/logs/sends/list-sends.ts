/** The verb *list sends*: the log with one row for each message and each passcode, newest first. */
import type { Ctx } from '../../../context.ts';
import { byIds, look, type Page, readPageByLook } from '../../../db/page.ts';
import { fromUuid } from '../../../kernel/ids.ts';
import type { LogStatus } from '../../../kernel/status.ts';
import { readScope } from '../../accounts/read-scope.ts';
import { Message } from '../../messaging/message.entity.ts';
import { Attempt, byRoute, isChannelAttempt } from '../../routing/attempt.entity.ts';
import { filterValues } from '../filtered.sql.ts';
import type { ListLogsInput } from '../log-filter.input.ts';
import { readLogFilter } from '../log-filter.policy.ts';
import { LOOK_BY } from '../look.sql.ts';
import { narrow, wayOf } from '../narrow.ts';
import { readingPage } from '../settled.ts';
import { LIST_SENDS } from './list-sends.sql.ts';

/** A message or a passcode, as the log tells of it; or a passcode that the fraud guard stopped before it was one. */
export interface LogSend {
  /** The id of the entry whose place it takes in the list. */
  readonly id: string;
  readonly messageId: string | null;
  readonly pinId: string | null;
  readonly status: LogStatus;
  /** The entries of the send, at least one. */
  readonly entries: readonly Attempt[];
}

/**
 * The sends of the log entries that pass the filter and that the caller may see, each once, where its first such entry stands. A status is that of the send, all else
 * narrows the entries. A page may be short as one of `listLogs`.
 * @throws AppError `invalid_input` on `after`; and as `readScope`
 */
export function listSends(ctx: Ctx, input: ListLogsInput): Promise<Page<LogSend>> {
  return readingPage(ctx, input, on => listRows(on, input));
}

async function listRows(ctx: Ctx, input: ListLogsInput): Promise<Page<LogSend>> {
  const scope = readScope(ctx);
  const { filter, ...page } = input;
  const { status, statuses, ...ofEntries } = filter ?? {};
  const outcomes = outcomesOf(status, statuses);
  const criteria = readLogFilter(scope, ofEntries);
  return readPageByLook(page, async (before, limit) => {
    const narrowed = criteria && (await narrow(ctx, criteria));
    if (!narrowed) return { rows: [], end: null };
    const { by } = wayOf(criteria, narrowed);
    const statements = { list: LIST_SENDS[by], end: LOOK_BY[by].end };
    const values = { ...filterValues(criteria, narrowed, before), outcomes };
    return look(ctx.services.database.sql(ctx.signal), statements, values, limit, rows => withEntries(ctx, rows));
  });
}

/** The statuses that the send may have; null: any. */
function outcomesOf(status: LogStatus | null | undefined, statuses: readonly LogStatus[] | null | undefined) {
  if (status == null) return statuses ?? null;
  return statuses == null || statuses.includes(status) ? [status] : [];
}

type Row = Awaited<ReturnType<(typeof LIST_SENDS)['account']['run']>>[number];

async function withEntries(ctx: Ctx, rows: readonly Row[]): Promise<LogSend[]> {
  const options = { disableIdentityMap: true };
  const ids = rows.flatMap(({ entries }) => entries.map(id => fromUuid('att', id)));
  const messages = rows.flatMap(({ message }) => (message === null ? [] : fromUuid('msg', message)));
  const entries = await byIds(ids, some => ctx.em.find(Attempt, { id: { $in: some } }, options));
  const routes = await ctx.em.find(Message, { id: { $in: messages } }, { ...options, fields: ['id', 'channels'] });
  const entryOf = new Map(entries.map(entry => [entry.id, entry]));
  const channelsOf = new Map(routes.map(({ id, channels }) => [id, channels]));
  return rows.map(row => {
    const messageId = row.message === null ? null : fromUuid('msg', row.message);
    const made = row.entries.flatMap(id => entryOf.get(fromUuid('att', id)) ?? []);
    const channels = channelsOf.get(messageId ?? '');
    return {
      id: fromUuid('att', row.id),
      messageId,
      pinId: row.pin === null ? null : fromUuid('pin', row.pin),
      status: row.status,
      entries: channels ? made.filter(isChannelAttempt).sort(byRoute(channels)) : made,
    };
  });
}
