/** The worker of a process: runs the jobs, takes up what dead processes left, tells of low balances, and delivers webhooks. */
import { randomUUID } from 'node:crypto';
import { tellLowBalances } from '../modules/figures/credits/tell-low-balances.ts';
import { recoverMessages } from '../modules/messaging/recover-messages.ts';
import { recoverOtps } from '../modules/otp/recover-otps.ts';
import { startWebhooks } from '../modules/webhooks/deliveries/deliverer.ts';
import type { Logger } from '../observability/logger.ts';
import type { Jobs } from '../queue/kit.ts';
import { JOBS, jobRunner, type MakeJobCtx } from './jobs.ts';

/** The time between the begins of two rounds of recovery: with the lease of 15 s a part of the 35 s of contract §4. */
export const RECOVERY_INTERVAL_MS = 2_000;

/** How many rounds may be under way: one that waits for slow providers holds up no other, and a slow database is not flooded. */
const ROUNDS_MAX = 10;

/** A worker that runs. */
export interface Worker {
  /** Ends the recovery and the webhooks, and waits for what is under way. The jobs end with the queue (`Jobs.stop`). */
  stop(): Promise<void>;
}

/** Starts the worker, with a round of recovery at once. @throws errors of queue and database. */
export async function startWorker(parts: { makeCtx: MakeJobCtx; jobs: Jobs; log: Logger }): Promise<Worker> {
  const { makeCtx, jobs, log } = parts;
  await jobs.work(JOBS, jobRunner(makeCtx));
  const webhooks = await startWebhooks(makeCtx('deliver-webhooks', randomUUID()));
  const rounds = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | null = null;
  const recover = async (): Promise<void> => {
    try {
      const results = await Promise.allSettled([
        recoverMessages(makeCtx('recover-messages', randomUUID())),
        recoverOtps(makeCtx('recover-otps', randomUUID())),
      ]);
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    } catch (error) {
      log.error({ err: error }, 'a round of recovery failed; the next one follows');
    }
  };
  // One at a time and beside the rounds: it waits for accounts that others have in hand, and must not hold recovery up.
  let telling: Promise<void> | null = null;
  const tell = async (): Promise<void> => {
    try {
      await tellLowBalances(makeCtx('tell-low-balances', randomUUID()));
    } catch (error) {
      log.error({ err: error }, 'low balances could not be told; the next round follows');
    }
  };
  const begin = (): void => {
    telling ??= tell().finally(() => {
      telling = null;
    });
    if (rounds.size < ROUNDS_MAX) {
      const round = recover().finally(() => rounds.delete(round));
      rounds.add(round);
    }
    timer = setTimeout(begin, RECOVERY_INTERVAL_MS);
    timer.unref();
  };
  begin();
  return {
    async stop() {
      if (timer) clearTimeout(timer);
      await Promise.all([...rounds, telling, webhooks.stop()]);
    },
  };
}
