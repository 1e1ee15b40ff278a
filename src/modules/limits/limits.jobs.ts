/** The jobs of limits. */
import type { Ctx } from '../../context.ts';
import { definePurge } from '../../db/statements/purge.sql.ts';
import { defineRecurring } from '../../queue/kit.ts';

// A bucket that is full is as good as none.
const purgeBuckets = definePurge('request_buckets', 'token_id, kind', `full_at < now() - interval '1 day'`);

/** Forgets the buckets of tokens that were not used for a day. */
export const purgeBucketsJob = defineRecurring({
  name: 'purge-request-buckets',
  cron: '47 * * * *',
  run: (ctx: Ctx) => purgeBuckets(ctx.services.database.sql()),
});
