import { z } from 'zod';
import type { Ctx } from '../../context.ts';
import { defineJob } from '../../queue/kit.ts';
import { purgeSandboxMessages } from './purge-sandbox-messages.ts';
import { reportStatuses } from './report-statuses.ts';

/**
 * Reports the later statuses of a group of messages. Fails, and is retried, until the attempts are stored, as a real
 * provider retries its receipts. Eight tries take about two minutes.
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
  run: (ctx: Ctx, { receipts }) => reportStatuses(ctx, receipts),
});

/** Deletes old messages of the sandbox's phones. */
export const purgeSandboxJob = defineJob({
  name: 'purge-sandbox',
  schema: z.object({}),
  queue: { retryLimit: 3, retryDelay: 60, retryBackoff: true, deleteAfterSeconds: 86_400 },
  cron: '*/5 * * * *',
  run: purgeSandboxMessages,
});
