/** The jobs of limits. */
import { definePurge } from '../../db/statements/purge.sql.ts';
import { purgeJob } from '../../queue/purge-job.ts';

// A bucket that is full is as good as none.
const purgeBuckets = definePurge('request_buckets', 'token_id, kind', `full_at < now() - interval '1 day'`);

/** Forgets the buckets of tokens that were not used for a day. */
export const purgeBucketsJob = purgeJob('purge-request-buckets', '47 * * * *', purgeBuckets);
