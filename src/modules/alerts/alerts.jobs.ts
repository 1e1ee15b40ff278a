/** The jobs of alerts. */
import type { Ctx } from '../../context.ts';
import { definePurge } from '../../db/statements/purge.sql.ts';
import { defineRecurring } from '../../queue/kit.ts';
import { purgeJob } from '../../queue/purge-job.ts';
import { resealSlackUrls } from './sends/slack-url.ts';
import { watchAlerts } from './watch-alerts.ts';

/** Looks at all rules, each minute, and as soon as one is created or changed. */
export const watchAlertsJob = defineRecurring({
  name: 'watch-alerts',
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
export const purgeAlertsJob = purgeJob('purge-alerts', '43 3 * * *', purge);
