/** The deliveries that arrive at the receiver of webhooks (`receiver.ts`), and the clock that all processes of the bench share. */
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import { startChild, stopChild } from '../kit/children.ts';

/** How long what should arrive is waited for. */
const WAIT_MAX_MS = 120_000;

/** Now, in milliseconds of the machine's monotonic clock: comparable between processes. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Deliveries that arrived, in order. */
export interface Arrivals {
  readonly eventIds: readonly string[];
  /** When the first bytes of each came, by `now`. */
  readonly times: readonly number[];
}

/** A receiver of webhooks that runs. */
export interface Receiver {
  /** Answers 200 at once, on any path. */
  readonly url: string;
  /** Accepts, and never answers. */
  readonly holeUrl: string;
  /** Waits until so many deliveries have arrived since the last call, and answers all of them. @throws Error if they do not come */
  arrivals(count: number): Promise<Arrivals>;
  /** Breaks off what was never answered; answers how much there was of it since it was last asked. */
  hangUp(): Promise<number>;
}

/** Gives `use` a receiver in a process of its own, and stops it whatever happens. */
export async function withReceiver<Result>(use: (receiver: Receiver) => Promise<Result>): Promise<Result> {
  const child = startChild(process.execPath, [join(import.meta.dirname, 'receiver.ts')]);
  try {
    if (child.process.stdout) await once(child.process.stdout, 'data');
    const [url = '', holes, control] = child.output().trim().split(' ');
    return await use({
      url: `${url}/hooks`,
      holeUrl: `${holes}/hole`,
      async arrivals(count) {
        const response = await fetch(`${control}/arrivals?count=${count}`, {
          signal: AbortSignal.timeout(WAIT_MAX_MS),
        });
        const arrivals: Arrivals = JSON.parse(await response.text());
        return arrivals;
      },
      async hangUp() {
        return Number(await (await fetch(`${control}/hang-up`)).text());
      },
    });
  } finally {
    await stopChild(child);
  }
}

/** Asks `isSo` until it is. @throws Error after `WAIT_MAX_MS` */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const endsAtMs = now() + WAIT_MAX_MS;
  while (!(await isSo())) {
    if (now() > endsAtMs) throw new Error(`waited in vain: ${what}`);
    await setTimeoutPromise(100);
  }
}
