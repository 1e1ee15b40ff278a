/** Calls providers: deadline, safe retries, and the meaning of an exception. */
import { setTimeout as wait } from 'node:timers/promises';
import { publicMessage } from '../kernel/attempt-errors.ts';
import type { Provider, SendRequest } from './contract.ts';
import { failure, type SendOutcome } from './outcome.ts';
import { cut, Quotes } from './words/quotes.ts';

/** The longest time of one provider call. */
export const PROVIDER_DEADLINE_MS = 10_000;

/** How often an attempt is tried; only `throttled`, which means that nothing was accepted, is retried. */
const THROTTLED_TRIES_MAX = 3;

/** A provider that throws, or whose answer makes no sense: it may have the message. */
export const BROKEN_OFF = failure('unknown', 'provider_error');

/** The outcome of a call that has not ended by its deadline. */
export const TIMED_OUT = failure('unknown', 'timeout');

/**
 * Sends an attempt and answers its outcome within `deadlineMs`, else `unknown`; never throws. `throttled` is retried while there is time. The message
 * of the outcome quotes nothing of the text.
 */
export async function dispatch(
  provider: Provider,
  request: Omit<SendRequest, 'tryNumber'>,
  deadlineMs: number,
): Promise<SendOutcome> {
  const endsAtMs = performance.now() + Math.min(deadlineMs, PROVIDER_DEADLINE_MS);
  for (let tryNumber = 1; ; tryNumber++) {
    const outcome = await sendByDeadline(provider, { ...request, tryNumber }, endsAtMs - performance.now());
    if (outcome.kind !== 'throttled' || tryNumber === THROTTLED_TRIES_MAX) return withoutQuotes(outcome, request);
    if (performance.now() + outcome.retryAfterMs >= endsAtMs) return withoutQuotes(outcome, request);
    await wait(outcome.retryAfterMs);
    const refusal = request.refuse?.();
    if (refusal) return refusal;
  }
}

function sendByDeadline(provider: Provider, request: SendRequest, deadlineMs: number): Promise<SendOutcome> {
  return new Promise(resolve => {
    const controller = new AbortController();
    const timer = setTimeout(
      () => {
        controller.abort(new DOMException('The deadline of the provider call has passed.', 'TimeoutError'));
        // Behind what a provider answers to that.
        setImmediate(resolve, TIMED_OUT);
      },
      Math.max(0, deadlineMs),
    );
    // Catches a provider that throws synchronously, too.
    new Promise<SendOutcome>(settle => settle(provider.send(request, controller.signal)))
      .catch(() => BROKEN_OFF)
      .then(outcome => {
        // Too late for anything but that something has left, or nothing.
        if (controller.signal.aborted && outcome.kind === 'unknown') return;
        clearTimeout(timer);
        resolve(outcome);
      });
  });
}

/** Here again, as a provider that forgot it would tell its texts to everybody. */
function withoutQuotes(outcome: SendOutcome, { text, to }: Pick<SendRequest, 'text' | 'to'>): SendOutcome {
  // Most failures are told in words of ours, which quote nobody: while a connection is down, all are.
  if (outcome.kind === 'accepted' || publicMessage(outcome) === outcome.message) return outcome;
  const { message } = outcome;
  return { ...outcome, message: cut(message, new Quotes(text, [to]).in(message)) };
}
