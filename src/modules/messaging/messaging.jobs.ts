/** The jobs of messaging. */
import { z } from 'zod';
import { defineJob } from '../../queue/kit.ts';
import { purgeReferences } from './references/purge-references.ts';

/** Forgets the references whose time is over. */
export const purgeReferencesJob = defineJob({
  name: 'purge-references',
  schema: z.object({}),
  queue: { retryLimit: 3, retryDelay: 60, retryBackoff: true, deleteAfterSeconds: 86_400 },
  cron: '17 * * * *',
  run: purgeReferences,
});
