/** Work that is done again and again while a process runs. */
import { randomUUID } from 'node:crypto';
import type { Ctx } from '../context.ts';
import type { Logger } from '../observability/logger.ts';
import type { MakeJobCtx } from './jobs.ts';

/** A step of a round: its name in the process log, and its work. */
export type Step = readonly [name: string, run: (ctx: Ctx) => Promise<unknown>];

/** Rounds that run. */
export interface Rounds {
  /** Begins no other round, and waits for those under way. */
  stop(): Promise<void>;
}

/** Runs the steps of a round together, at once and in each interval. The first of the rounds that fail is told of; the next one follows. @param parts.most how many rounds may be under way */
export function startRounds(parts: {
  readonly makeCtx: MakeJobCtx;
  readonly log: Logger;
  readonly name: string;
  readonly interval: number;
  readonly most: number;
  readonly steps: readonly Step[];
}): Rounds {
  const { makeCtx, log, name, interval, most, steps } = parts;
  const underWay = new Set<Promise<void>>();
  const failing = new Set<string>();
  const run = async ([step, work]: Step): Promise<void> => {
    try {
      await work(makeCtx(step, randomUUID()));
      failing.delete(step);
    } catch (error) {
      // A database that is away fails every round: the first one says so.
      if (failing.has(step)) return;
      failing.add(step);
      log.error({ err: error, step }, `a round of ${name} failed; the next one follows`);
    }
  };
  let timer: NodeJS.Timeout;
  const begin = (): void => {
    if (underWay.size < most) {
      const round: Promise<void> = Promise.all(steps.map(run)).then(() => void underWay.delete(round));
      underWay.add(round);
    }
    timer = setTimeout(begin, interval);
    timer.unref();
  };
  begin();
  return {
    async stop() {
      clearTimeout(timer);
      await Promise.all(underWay);
    },
  };
}
