/** The list of jobs: what there is, and which verb runs each. */
import type { Ctx } from '../context.ts';
import { tidyEmbedded } from '../db/embedded/tidy-embedded.ts';
import { ensurePartitions } from '../db/partitions.ts';
import { PATIENCE_MS, patiently } from '../db/postgres/bounded-client.ts';
import { reconcileLedgerJob } from '../modules/billing/billing.jobs.ts';
import { reconcileLedger } from '../modules/billing/reconcile.ts';
import { purgeReferencesJob } from '../modules/messaging/messaging.jobs.ts';
import { purgeReferences } from '../modules/messaging/purge-references.ts';
import { expireOtps } from '../modules/otp/expire-otps.ts';
import { expireOtpsJob, purgeOtpsJob } from '../modules/otp/otp.jobs.ts';
import { purgeOtps } from '../modules/otp/purge-otps.ts';
import { purgeSandboxMessages } from '../modules/sandbox/purge-sandbox-messages.ts';
import { reportStatuses } from '../modules/sandbox/report-statuses.ts';
import { purgeSandboxJob, sandboxReceiptsJob } from '../modules/sandbox/sandbox.jobs.ts';
import { redeliverWebhooksJob } from '../modules/webhooks/deliveries/webhook.jobs.ts';
import { restartDeliveries } from '../modules/webhooks/redelivery/redeliver.ts';
import { type JobDefinition, type RunnableJob, runJob } from '../queue/kit.ts';
import { makePartitionsJob } from './partitions.jobs.ts';
import { tidyEmbeddedJob } from './tidy.jobs.ts';

/** Makes the context of one run of a job. */
export type MakeJobCtx = (jobName: string, jobId: string) => Ctx;

/** Every job there is, for opening the queue. */
export const JOB_DEFINITIONS: readonly JobDefinition<object>[] = [
  sandboxReceiptsJob,
  makePartitionsJob,
  purgeSandboxJob,
  purgeReferencesJob,
  expireOtpsJob,
  purgeOtpsJob,
  redeliverWebhooksJob,
  reconcileLedgerJob,
  tidyEmbeddedJob,
];

/** Every job with the verb that runs it. A failure is logged here, once, and then handed to the queue, which tries again. */
export function runnableJobs(makeCtx: MakeJobCtx): RunnableJob[] {
  const verb = <Payload extends object>(
    definition: JobDefinition<Payload>,
    run: (ctx: Ctx, payload: Payload) => Promise<unknown>,
  ): RunnableJob =>
    runJob(definition, async (payload, { id }) => {
      const ctx = makeCtx(definition.name, id);
      try {
        await patiently(PATIENCE_MS.job, () => run(ctx, payload));
      } catch (error) {
        ctx.log.warn({ err: error, job: definition.name, jobId: id }, 'a job failed');
        throw error;
      }
    });
  return [
    verb(sandboxReceiptsJob, (ctx, { receipts }) => reportStatuses(ctx, receipts)),
    verb(makePartitionsJob, ctx => ensurePartitions(ctx.services.database)),
    verb(purgeSandboxJob, purgeSandboxMessages),
    verb(purgeReferencesJob, purgeReferences),
    verb(expireOtpsJob, expireOtps),
    verb(purgeOtpsJob, purgeOtps),
    verb(redeliverWebhooksJob, restartDeliveries),
    verb(reconcileLedgerJob, reconcileLedger),
    verb(tidyEmbeddedJob, ctx => tidyEmbedded(ctx.services.database)),
  ];
}
