/** The jobs of alerts. */
import { z } from 'zod';
import type { Ctx } from '../../context.ts';
import { definePurge } from '../../db/statements/purge.sql.ts';
import { defineJob } from '../../queue/kit.ts';
import { resealSlackUrls } from './sends/slack-url.ts';
import { watchAlerts } from './watch-alerts.ts';

/** Looks at all rules, each minute, and as soon as one is created or changed. */
export const watchAlertsJob = defineJob({
  name: 'watch-alerts',
  schema: z.object({}),
  // The next look follows.
  queue: { retryLimit: 0, deleteAfterSeconds: 3_600, expireInSeconds: 300 },
  cron: '* * * * *',
  run: async (ctx: Ctx) => {
    await resealSlackUrls(ctx.services.database.sql(), ctx.services.keys);
    await watchAlerts(ctx);
  },
});

const purge = definePurge('alerts', 'id', `created_at < clock_timestamp() - interval '90 days'`);

/** Deletes alerts that are more than 90 days old. */
export const purgeAlertsJob = defineJob({
  name: 'purge-alerts',
  schema: z.object({}),
  queue: { retryLimit: 3, retryDelay: 60, retryBackoff: true, deleteAfterSeconds: 86_400 },
  cron: '43 3 * * *',
  run: ({ services: { database } }: Ctx) => purge(database.sql()),
});
