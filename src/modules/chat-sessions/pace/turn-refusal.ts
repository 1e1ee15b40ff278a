/** Why a number has no turn for somebody, as an outcome: another connection is asked. */
import { PROVIDER_DEADLINE_MS } from '../../../channels/dispatch.ts';
import type { SendOutcome } from '../../../channels/outcome.ts';
import type { TurnFault } from './turn.sql.ts';

const CODES = {
  locked: ['number_locked', 'WhatsApp lets this number write to nobody new'],
  capped: ['number_capped', 'WhatsApp lets this number begin no more chats'],
  new_people: ['new_people_limit', 'The number has written to as many new people today as its age allows'],
  pace: ['throttled', 'The number sends as much as it may'],
} as const satisfies Record<TurnFault, readonly [code: string, sentence: string]>;

/** Why a number has no turn, in a sentence. A turn is seconds off, and the end of all else hours. */
export function sentenceOf(fault: TurnFault, until: Date | null): string {
  const [, sentence] = CODES[fault];
  return until === null
    ? `${sentence}.`
    : `${sentence}, until ${until.toISOString().slice(0, fault === 'pace' ? 19 : 16)}Z.`;
}

/** The outcome. @param until when it ends, where that is known */
export function refusalOf(fault: TurnFault, until: Date | null): SendOutcome {
  const [code] = CODES[fault];
  const message = sentenceOf(fault, until);
  if (fault !== 'pace') return { kind: 'rejected', code, message, isOwn: true };
  // Another connection is asked at once: who waits for the same turn again would wait beyond the deadline.
  return { kind: 'throttled', code, message, retryAfterMs: PROVIDER_DEADLINE_MS };
}
