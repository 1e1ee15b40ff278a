/** Tries a call again while that is safe and its deadline lets it. */
import { HeliographError } from './heliograph-error.ts';

/** How one call runs. */
export interface CallOptions {
  /** Ends the call; it then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds above 0 for the whole call, tries and waits together, or for each page of a list. Those of the client where it is not given. */
  readonly deadlineMs?: number | undefined;
}

/**
 * When a call is tried again. `always`: nothing changes. `keyed`: the gateway knows its key. `refused`: only where its one mutation was refused.
 * `unbegun`: only where none of its mutations was begun.
 */
export type Repeats = 'always' | 'keyed' | 'refused' | 'unbegun';

/** The gateway did nothing, and says when to come again. */
const REFUSED = ['rate_limited', 'overloaded'];

/** Nobody knows whether it was done. */
const BROKEN = ['unreachable', 'database_unavailable'];

const REPEATABLE: Readonly<Record<Repeats, readonly string[]>> = {
  refused: REFUSED,
  unbegun: REFUSED,
  always: [...REFUSED, ...BROKEN],
  // The first try still runs: its answer is the answer.
  keyed: [...REFUSED, ...BROKEN, 'reference_in_flight'],
};

/** Whether a call that failed so may run again without doing anything twice. */
function isSafe({ code, isBegun }: HeliographError, repeats: Repeats): boolean {
  return REPEATABLE[repeats].includes(code) && (repeats !== 'unbegun' || !isBegun);
}

const PAUSE_MS = 100;
const PAUSE_MS_MAX = 5_000;

/** The longest time that a timer keeps, 24 days: beyond it Node waits for 1 ms. */
const DEADLINE_MS_MAX = 2 ** 31 - 1;

/** A deadline as timers take it: whole, and 24 days at most. @throws TypeError for one that is no number above 0 */
export function wholeDeadline(deadlineMs: number): number {
  if (!(deadlineMs > 0))
    throw new TypeError('deadlineMs must be a number above 0; leave it out for the usual deadline');
  return Math.min(Math.ceil(deadlineMs), DEADLINE_MS_MAX);
}

/** Runs `attempt` until it succeeds, fails for good, or its time is over. @throws HeliographError, the reason of the signal, TypeError as `wholeDeadline` */
export async function repeat<Answer>(
  attempt: (signal: AbortSignal) => Promise<Answer>,
  repeats: Repeats,
  { signal: given, deadlineMs: asked }: CallOptions & { readonly deadlineMs: number },
): Promise<Answer> {
  const deadlineMs = wholeDeadline(asked);
  const end = performance.now() + deadlineMs;
  const deadline = AbortSignal.timeout(deadlineMs);
  const signal = given ? AbortSignal.any([given, deadline]) : deadline;
  let last: unknown;
  for (let tries = 0; ; tries++) {
    try {
      signal.throwIfAborted();
      return await attempt(signal);
    } catch (error) {
      given?.throwIfAborted();
      if (deadline.aborted) throw timedOut(deadlineMs, last ?? error);
      if (!(error instanceof HeliographError) || !isSafe(error, repeats)) throw error;
      const pauseMs = (error.retryAfter ?? 0) * 1_000 + Math.random() * Math.min(PAUSE_MS * 2 ** tries, PAUSE_MS_MAX);
      if (performance.now() + pauseMs >= end) throw error;
      last = error;
      await pause(pauseMs, signal);
    }
  }
}

function timedOut(deadlineMs: number, cause: unknown): HeliographError {
  return new HeliographError('timed_out', `The call was not over within ${deadlineMs} ms.`, {}, cause);
}

/** Resolves after this time, or as soon as the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
