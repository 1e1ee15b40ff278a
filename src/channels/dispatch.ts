/** The gateway's side of every provider call: the deadline, the repeats that are safe, and what an exception means. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Provider, SendOutcome, SendRequest } from './contract.ts';

/** The longest that one provider call may take. */
export const PROVIDER_DEADLINE_MS = 10_000;

/** How often an attempt is handed over again after `throttled`, which says that nothing was taken. */
const THROTTLED_TRIES_MAX = 3;

/**
 * Hands an attempt to a provider and answers what became of it within `deadlineMs`; never throws. Past the deadline, and after
 * an exception, the outcome is `unknown`: bytes may have been sent. `throttled` is tried again while there is time.
 */
export async function dispatch(
  provider: Provider,
  request: Omit<SendRequest, 'tryNumber'>,
  deadlineMs: number,
): Promise<SendOutcome> {
  const endsAtMs = performance.now() + Math.min(deadlineMs, PROVIDER_DEADLINE_MS);
  for (let tryNumber = 1; ; tryNumber++) {
    const outcome = await sendByDeadline(provider, { ...request, tryNumber }, endsAtMs - performance.now());
    if (outcome.kind !== 'throttled' || tryNumber === THROTTLED_TRIES_MAX) return outcome;
    if (performance.now() + outcome.retryAfterMs >= endsAtMs) return outcome;
    await wait(outcome.retryAfterMs);
  }
}

function sendByDeadline(provider: Provider, request: SendRequest, deadlineMs: number): Promise<SendOutcome> {
  return new Promise(resolve => {
    const controller = new AbortController();
    const timer = setTimeout(
      () => {
        resolve({ kind: 'unknown', code: 'timeout', message: 'The provider did not answer in time.' });
        controller.abort(new DOMException('The deadline of the provider call has passed.', 'TimeoutError'));
      },
      Math.max(0, deadlineMs),
    );
    // A provider that throws before its first await must not throw here.
    new Promise<SendOutcome>(settle => settle(provider.send(request, controller.signal)))
      .catch((): SendOutcome => ({ kind: 'unknown', code: 'provider_error', message: 'The provider call broke off.' }))
      .then(outcome => {
        clearTimeout(timer);
        resolve(outcome);
      });
  });
}
