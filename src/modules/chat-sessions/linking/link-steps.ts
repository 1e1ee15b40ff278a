/** The steps of a link under way, for who follows it. */
import { failedLink, type LinkStep, type SessionChange } from '../../../channels/session.ts';

/** Makes the steps. @param clock dates the end of codes */
export function linkSteps(clock: { now(): Date }) {
  const steps: LinkStep[] = [];
  let wake: (() => void) | null = null;
  let isPaired = false;
  return {
    /** Takes what happened to the session. */
    push(change: SessionChange): void {
      const step = stepOf(change, clock);
      if (change.kind === 'linked') isPaired = true;
      if (step === null) return;
      steps.push(step);
      wake?.();
    },
    /** Whether the phone has taken a code: the session stays, whoever follows. */
    isPaired: (): boolean => isPaired,
    /** Each step as it comes, to the last one or until the signal aborts. */
    async *until(signal: AbortSignal): AsyncGenerator<LinkStep, void> {
      signal.addEventListener('abort', () => wake?.(), { once: true });
      while (!signal.aborted) {
        const step = steps.shift();
        if (step) {
          yield step;
          if (step.state !== 'code') return;
        } else {
          const woken = Promise.withResolvers<void>();
          wake = woken.resolve;
          await woken.promise;
        }
      }
    },
  };
}

/** Null: nothing that a follower waits for. */
function stepOf(change: SessionChange, clock: { now(): Date }): LinkStep | null {
  switch (change.kind) {
    case 'code':
      return {
        state: 'code',
        method: change.method,
        code: change.code,
        expiresAt: new Date(clock.now().getTime() + change.lastsMs),
        error: null,
      };
    case 'open':
      return { state: 'linked', method: null, code: null, expiresAt: null, error: null };
    case 'ended':
    case 'unlinked':
      return failedLink(change.error);
    default:
      return null;
  }
}
