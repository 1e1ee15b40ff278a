/** The jobs of messaging. */
import { z } from 'zod';
import type { Ctx } from '../../context.ts';
import { definePurge } from '../../db/statements/purge.sql.ts';
import { defineJob } from '../../queue/kit.ts';

const purgeReferences = definePurge('idempotency_keys', 'account_id, area, reference', 'expires_at <= now()');

/** Forgets the references whose 30 days are over (contract §4). One that a send is taking over at the same time is left to it. */
export const purgeReferencesJob = defineJob({
  name: 'purge-references',
  schema: z.object({}),
  queue: { retryLimit: 3, retryDelay: 60, retryBackoff: true, deleteAfterSeconds: 86_400 },
  cron: '17 * * * *',
  run: ({ services: { database } }: Ctx) => purgeReferences(database.sql()),
});
