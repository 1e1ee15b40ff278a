/** The jobs of limits. */
import { z } from 'zod';
import type { Ctx } from '../../context.ts';
import { definePurge } from '../../db/statements/purge.sql.ts';
import { defineJob } from '../../queue/kit.ts';

// A bucket that is full is as good as none.
const purgeBuckets = definePurge('request_buckets', 'token_id, kind', `full_at < now() - interval '1 day'`);

/** Forgets the buckets of tokens that were not used for a day. */
export const purgeBucketsJob = defineJob({
  name: 'purge-request-buckets',
  schema: z.object({}),
  queue: { retryLimit: 3, retryDelay: 60, retryBackoff: true, deleteAfterSeconds: 86_400 },
  cron: '47 * * * *',
  run: (ctx: Ctx) => purgeBuckets(ctx.services.database.sql()),
});
