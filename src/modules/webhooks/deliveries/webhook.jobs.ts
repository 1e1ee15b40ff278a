/** The jobs of webhooks. */
import { z } from 'zod';
import { defineJob } from '../../../queue/kit.ts';
import { WEBHOOK_EVENTS } from '../events/webhook-events.ts';

/**
 * Begins deliveries of an endpoint again. It commits chunk by chunk and finds by the rows themselves what is left, so a run that was
 * killed is made good by the next; a minute after its worker died it is taken up again.
 */
export const redeliverWebhooksJob = defineJob({
  name: 'redeliver-webhooks',
  schema: z.object({
    endpointId: z.string(),
    /** What is begun again; `missed`: what is dead, and what failed and waits for its next try. */
    status: z.enum(['dead', 'delivered', 'missed']),
    event: z.enum(WEBHOOK_EVENTS).nullable(),
    /** Made at this time or later, and before that one; null: no bound. */
    from: z.string().nullable(),
    to: z.string().nullable(),
    /** What was over by then, by the database's clock: what is over again since is not begun once more. */
    before: z.string(),
    /** The uuid behind which it goes on; null: from the beginning. */
    after: z.string().nullable(),
  }),
  queue: { retryLimit: 20, retryDelay: 5, retryBackoff: true, expireInSeconds: 60, deleteAfterSeconds: 86_400 },
  pollSeconds: 1,
});
