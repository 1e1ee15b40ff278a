/** The job of the request log. */
import type { Ctx } from '../../context.ts';
import { inChunks } from '../../db/statements/purge.sql.ts';
import { uuidFloor } from '../../kernel/ids.ts';
import { defineRecurring } from '../../queue/kit.ts';
import { PURGE_REQUESTS } from './requests.sql.ts';

const DAY_MS = 86_400_000;

/** Forgets the requests that are older than `REQUEST_LOG_DAYS`. */
export const purgeRequestsJob = defineRecurring({
  name: 'purge-requests',
  cron: '57 * * * *',
  run: purgeRequests,
});

/** Deletes them, and answers how many. */
export async function purgeRequests({ clock, services: { database, settings } }: Ctx): Promise<number> {
  const before = uuidFloor(new Date(clock.now().getTime() - settings.requestLogDays * DAY_MS));
  return inChunks(limit => PURGE_REQUESTS.first(database.sql(), { before, limit }));
}
