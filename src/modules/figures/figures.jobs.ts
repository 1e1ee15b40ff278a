/** The job of figures: what the overview shows is counted ahead. */
import type { Ctx } from '../../context.ts';
import { defineRecurring } from '../../queue/kit.ts';
import { rollUpLog } from './roll-up.ts';

/** Counts entries that are some minutes old. Without this job figures stay right and take longer. */
export const rollUpLogJob = defineRecurring({
  name: 'roll-up-log',
  // The next run makes up for one that failed.
  queue: { retryLimit: 0, deleteAfterSeconds: 3_600, expireInSeconds: 3_600 },
  cron: '* * * * *',
  run: ({ services: { database } }: Ctx) => rollUpLog(database),
});
