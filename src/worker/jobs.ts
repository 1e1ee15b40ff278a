/** The list of jobs. */
import type { Ctx } from '../context.ts';
import { PATIENCE_MS, patiently } from '../db/postgres/bounded-client.ts';
import { mailResetJob } from '../modules/accounts/reset/reset.jobs.ts';
import { purgeSignInsJob } from '../modules/accounts/sign-in/sign-in.jobs.ts';
import { purgeAlertsJob, watchAlertsJob } from '../modules/alerts/alerts.jobs.ts';
import { sendAlertJob } from '../modules/alerts/sends/send-alert.ts';
import { purgeAutoReplyMarksJob } from '../modules/auto-replies/auto-replies.jobs.ts';
import { reconcileLedgerJob } from '../modules/billing/billing.jobs.ts';
import { countHealthJob } from '../modules/connections/health/count-health.ts';
import { readQuotasJob } from '../modules/connections/quotas/read-quotas.ts';
import { rollUpLogJob } from '../modules/figures/figures.jobs.ts';
import { purgeInboundJob, tellLatePartsJob } from '../modules/inbound/inbound.jobs.ts';
import { purgeBucketsJob } from '../modules/limits/limits.jobs.ts';
import { answerWordJob } from '../modules/messaging/answer-word.ts';
import { purgeReferencesJob } from '../modules/messaging/messaging.jobs.ts';
import { expireOtpsJob, purgeOtpsJob } from '../modules/otp/otp.jobs.ts';
import { earlyReceiptsJob } from '../modules/receipts/early-receipts.ts';
import { purgePartsJob } from '../modules/receipts/receipts.jobs.ts';
import { purgeRequestsJob } from '../modules/requests/requests.jobs.ts';
import { blankTextsJob, dropMonthsJob } from '../modules/retention/retention.jobs.ts';
import { purgeSandboxJob, sandboxReceiptsJob } from '../modules/sandbox/sandbox.jobs.ts';
import { syncTemplatesJob } from '../modules/templates/templates.jobs.ts';
import { redeliverWebhooksJob } from '../modules/webhooks/redelivery/redeliver.ts';
import type { Job, JobRunner } from '../queue/kit.ts';
import { makePartitionsJob } from './partitions.jobs.ts';
import { tidyEmbeddedJob } from './tidy.jobs.ts';

/** Every job there is. */
export const JOBS: readonly Job<Ctx>[] = [
  sandboxReceiptsJob,
  earlyReceiptsJob,
  purgePartsJob,
  purgeInboundJob,
  tellLatePartsJob,
  answerWordJob,
  purgeAutoReplyMarksJob,
  makePartitionsJob,
  purgeSandboxJob,
  purgeReferencesJob,
  blankTextsJob,
  dropMonthsJob,
  readQuotasJob,
  countHealthJob,
  expireOtpsJob,
  purgeOtpsJob,
  purgeBucketsJob,
  purgeRequestsJob,
  purgeSignInsJob,
  mailResetJob,
  redeliverWebhooksJob,
  reconcileLedgerJob,
  rollUpLogJob,
  watchAlertsJob,
  sendAlertJob,
  purgeAlertsJob,
  syncTemplatesJob,
  tidyEmbeddedJob,
];

/** Makes the context of one run of a job. */
export type MakeJobCtx = (jobName: string, jobId: string) => Ctx;

/** Runs a job. A failure is logged here, once, and then handed to the queue, which tries again. */
export function jobRunner(makeCtx: MakeJobCtx): JobRunner<Ctx> {
  return async (job, payload, id) => {
    const ctx = makeCtx(job.name, id);
    try {
      await patiently(PATIENCE_MS.job, () => job.run(ctx, payload));
    } catch (error) {
      ctx.log.warn({ err: error, job: job.name, jobId: id }, 'a job failed');
      throw error;
    }
  };
}
