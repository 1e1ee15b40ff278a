/** The job of receipts: what they are matched by is forgotten when none can come any more. */
import { definePurge } from '../../db/statements/purge.sql.ts';
import { purgeJob } from '../../queue/purge-job.ts';

const purgeParts = definePurge('attempt_parts', 'connection_id, part_id', `created_at < now() - interval '7 days'`);

/** Deletes the parts of texts that are a week old: a receipt that comes later is one of nothing known. */
export const purgePartsJob = purgeJob('purge-parts', '17 * * * *', purgeParts);
