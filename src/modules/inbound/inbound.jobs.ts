/** The jobs of what comes in: texts with a part that never comes are told, and what repeats are known by is forgotten. */
import type { Ctx } from '../../context.ts';
import { definePurge } from '../../db/statements/purge.sql.ts';
import { defineRecurring } from '../../queue/kit.ts';
import { purgeJob } from '../../queue/purge-job.ts';
import { tellLateParts } from './parts/tell-late-parts.ts';

const purgeSeen = definePurge(
  'inbound_seen',
  'connection_id, provider_message_id',
  `seen_at < now() - interval '7 days'`,
);

const purgePartials = definePurge('inbound_partials', 'connection_id, key', 'told_at is not null and due_at < now()');

/** Deletes the ids of messages that are a week old: no provider repeats for longer. */
export const purgeInboundJob = purgeJob('purge-inbound', '27 * * * *', purgeSeen);

/** Tells the texts whose parts have waited for long enough, and deletes those that were told. */
export const tellLatePartsJob = defineRecurring({
  name: 'tell-late-parts',
  // The next run comes in a minute.
  queue: { retryLimit: 0, deleteAfterSeconds: 3_600 },
  cron: '* * * * *',
  async run(ctx: Ctx) {
    await tellLateParts(ctx);
    await purgePartials(ctx.services.database.sql());
  },
});
