/** The worker of a process: runs the jobs, takes up what dead processes left, follows up sends, tells of low balances, and delivers webhooks. */
import { randomUUID } from 'node:crypto';
import { tellLowBalances } from '../modules/figures/credits/tell-low-balances.ts';
import { MESSAGE } from '../modules/messaging/message-kind.ts';
import { OTP } from '../modules/otp/send/otp-kind.ts';
import { followSends } from '../modules/routing/follow-ups/follow-sends.ts';
import { recoverSends } from '../modules/routing/recovery/recover.ts';
import { startWebhooks } from '../modules/webhooks/deliveries/deliverer.ts';
import type { Logger } from '../observability/logger.ts';
import type { Jobs } from '../queue/kit.ts';
import { JOBS, jobRunner, type MakeJobCtx } from './jobs.ts';
import { type Rounds, type Step, startRounds } from './rounds.ts';

/** The time between the begins of two rounds of recovery: with the lease of 15 s a part of the 35 s of contract §4. */
export const RECOVERY_INTERVAL_MS = 2_000;

/** How many rounds may be under way: one that waits for slow providers holds up no other, and a slow database is not flooded. */
const ROUNDS_MAX = 10;

/** The time between the begins of two looks for sends whose channel had its time: what follows is late by no more (contract §14). */
const FOLLOW_INTERVAL_MS = 500;

/** How many of them may be under way: as many as begin while a slow provider has its time. */
const FOLLOW_ROUNDS_MAX = 30;

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
  const repeat = (name: string, interval: number, most: number, steps: readonly Step[]): Rounds =>
    startRounds({ makeCtx, log, name, interval, most, steps });
  const rounds = [
    repeat('recovery', RECOVERY_INTERVAL_MS, ROUNDS_MAX, [
      ['recover-messages', ctx => recoverSends(ctx, MESSAGE)],
      ['recover-otps', ctx => recoverSends(ctx, OTP)],
    ]),
    repeat('follow-ups', FOLLOW_INTERVAL_MS, FOLLOW_ROUNDS_MAX, [
      ['follow-messages', ctx => followSends(ctx, MESSAGE)],
    ]),
    repeat('follow-ups', FOLLOW_INTERVAL_MS, FOLLOW_ROUNDS_MAX, [['follow-otps', ctx => followSends(ctx, OTP)]]),
    // One at a time and beside the others: it waits for accounts that others have in hand, and must not hold recovery up.
    repeat('low balances', RECOVERY_INTERVAL_MS, 1, [['tell-low-balances', tellLowBalances]]),
  ];
  return {
    async stop() {
      await Promise.all([...rounds.map(each => each.stop()), webhooks.stop()]);
    },
  };
}
