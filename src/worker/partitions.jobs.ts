/** The job that keeps the partitions of messages and attempts ahead of the clock. */
import type { Ctx } from '../context.ts';
import { ensurePartitions } from '../db/partitions.ts';
import { defineRecurring } from '../queue/kit.ts';

/** Makes the partitions of the months ahead: daily, though monthly would do, so that a bad day is made up for the day after. */
export const makePartitionsJob = defineRecurring({
  name: 'make-partitions',
  queue: { retryLimit: 5, retryDelay: 60, retryBackoff: true, deleteAfterSeconds: 7 * 86_400 },
  cron: '7 3 * * *',
  async run(ctx: Ctx) {
    const busy = await ensurePartitions(ctx.services.database);
    // Tried again in a minute.
    if (busy.length > 0) throw new Error(`their tables are in use: ${busy.join(', ')}`);
  },
});
