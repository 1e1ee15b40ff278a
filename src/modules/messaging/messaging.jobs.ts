/** The jobs of messaging. */
import type { Ctx } from '../../context.ts';
import { definePurge } from '../../db/statements/purge.sql.ts';
import { defineRecurring } from '../../queue/kit.ts';

const purgeReferences = definePurge('idempotency_keys', 'account_id, area, reference', 'expires_at <= now()');

/** Forgets the references whose 30 days are over (contract §4). One that a send is taking over at the same time is left to it. */
export const purgeReferencesJob = defineRecurring({
  name: 'purge-references',
  cron: '17 * * * *',
  run: ({ services: { database } }: Ctx) => purgeReferences(database.sql()),
});
