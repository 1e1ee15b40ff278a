/** The worker of a process: runs the jobs, and takes up what dead processes left. */
import { randomUUID } from 'node:crypto';
import { recoverMessages } from '../modules/messaging/recover-messages.ts';
import type { Logger } from '../observability/logger.ts';
import type { Jobs } from '../queue/kit.ts';
import { type MakeJobCtx, runnableJobs } from './jobs.ts';

/** How long after a round of recovery the next one starts: with the lease of 15 s a part of the 35 s of contract §4. */
export const RECOVERY_INTERVAL_MS = 2_000;

/** A worker that runs. */
export interface Worker {
  /** Ends the recovery and waits for the round under way. The jobs end with the queue (`Jobs.stop`). */
  stop(): Promise<void>;
}

/** Starts the worker, with a round of recovery at once. @throws what the queue throws when a job cannot be worked on. */
export async function startWorker(parts: { makeCtx: MakeJobCtx; jobs: Jobs; log: Logger }): Promise<Worker> {
  const { makeCtx, jobs, log } = parts;
  await jobs.work(runnableJobs(makeCtx));
  let stopped = false;
  let timer: NodeJS.Timeout | null = null;
  const round = async (): Promise<void> => {
    try {
      await recoverMessages(makeCtx('recover-messages', randomUUID()));
    } catch (error) {
      log.error({ err: error }, 'a round of recovery failed; the next one follows');
    }
    if (stopped) return;
    timer = setTimeout(() => {
      underWay = round();
    }, RECOVERY_INTERVAL_MS);
    timer.unref();
  };
  let underWay = round();
  return {
    async stop() {
      stopped = true;
      if (timer) clearTimeout(timer);
      await underWay;
    },
  };
}
