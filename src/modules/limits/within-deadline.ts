/** The time that a request may take that waits only for the database. */
import type { Ctx } from '../../context.ts';
import { AppError } from '../../kernel/errors.ts';
import { LazySignal } from '../../kernel/process/lazy-signal.ts';

/** In milliseconds. */
const DEADLINE_MS = 10_000;

/**
 * Runs a part of a request until it times out or the caller disconnects. Its statements, run with the context of `run`, are cancelled then,
 * and it is no longer awaited. @throws AppError `overloaded` after the time-out; errors of `run`
 */
export async function withinDeadline<Result>(
  given: Ctx,
  run: (ctx: Ctx) => Result | PromiseLike<Result>,
  deadlineMs = DEADLINE_MS,
): Promise<Result> {
  const { signal: gone } = given;
  const over = Promise.withResolvers<never>();
  const ending = new LazySignal();
  const end = (message: string): void => {
    const reason = new AppError('overloaded', message, { retryAfter: 1 });
    over.reject(reason);
    ending.abort(reason);
  };
  // This listener stays: a subscription continues after `run`, until the caller disconnects.
  const onGone = (): void => end('The caller is gone.');
  if (gone.aborted) onGone();
  else gone.addEventListener('abort', onGone, { once: true });
  const timer = setTimeout(() => end('The request took too long and was ended. Try again in a moment.'), deadlineMs);
  try {
    return await Promise.race([Promise.resolve(given.with({}, ending)).then(run), over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
