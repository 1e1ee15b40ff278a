/** The jobs of messaging. */
import { definePurge } from '../../db/statements/purge.sql.ts';
import { purgeJob } from '../../queue/purge-job.ts';

const purgeReferences = definePurge('idempotency_keys', 'account_id, area, reference', 'expires_at <= now()');

/** Forgets the references whose 30 days are over (contract §4). One that a send is taking over at the same time is left to it. */
export const purgeReferencesJob = purgeJob('purge-references', '17 * * * *', purgeReferences);
