/** The jobs of the sandbox. */
import { z } from 'zod';
import { defineJob } from '../../queue/kit.ts';

/**
 * Reports the later statuses of a group of arrivals. It fails, and is run again, while the gateway has not stored all of their
 * ids yet: a real provider repeats its receipts in the same way. Eight tries over about two minutes outlast any settle.
 */
export const sandboxReceiptsJob = defineJob({
  name: 'sandbox-receipts',
  schema: z.object({
    receipts: z.array(
      z.object({
        provider: z.string(),
        providerMessageId: z.string(),
        attemptId: z.string().nullish(),
        status: z.enum(['sent', 'delivered', 'read', 'failed', 'expired']),
        errorCode: z.string().nullable(),
        errorMessage: z.string().nullable(),
      }),
    ),
  }),
  queue: { retryLimit: 8, retryDelay: 1, retryBackoff: true, deleteAfterSeconds: 3_600 },
  pollSeconds: 1,
});

/** Forgets what the phones of the sandbox need not keep any longer. */
export const purgeSandboxJob = defineJob({
  name: 'purge-sandbox',
  schema: z.object({}),
  queue: { retryLimit: 3, retryDelay: 60, retryBackoff: true, deleteAfterSeconds: 86_400 },
  cron: '*/5 * * * *',
});
