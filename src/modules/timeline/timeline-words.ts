/** The words of a timeline. */
import type { Verdict } from '../../channels/providers.ts';
import type { LogStatus } from '../../kernel/status.ts';
import type { Attempt } from '../routing/attempt.entity.ts';
import type { TimelineKind } from './timeline-entry.ts';

/** Why a connection was not asked, behind its name. */
export const WHY: Readonly<Record<Verdict, string>> = {
  first: 'asked first',
  follows: 'asked later',
  sick: 'sick',
  trial: 'to be tried again',
  down: 'down',
  known_only: 'it writes to nobody new',
  paused: 'paused',
  unusable: 'its config cannot be read',
  country: "not for the recipient's country",
  purpose: 'not for this purpose',
  number: 'it has another number',
};

/** Why a connection was chosen that is not as it should be. */
export const CHOSEN_THOUGH: Readonly<Partial<Record<Verdict, string>>> = {
  sick: 'chosen though it is sick, as none that fits is well',
  trial: 'chosen to see whether it is well again',
  down: 'chosen though it is down, as no other fits',
};

/** The kind and the sentence of each outcome of a code. */
export const OUTCOMES: Readonly<Partial<Record<Attempt['type'], readonly [TimelineKind, string]>>> = {
  otp_verified: ['verified', 'The right code was given.'],
  otp_incorrect: ['wrong_code', 'A wrong code was given.'],
  otp_expired: ['expired', 'A code was given after its time.'],
  otp_blocked: ['blocked', 'A code was given, and was not looked at: too many wrong ones came before.'],
  otp_flagged: ['flagged', 'The fraud guard would have stopped it, were it set to block.'],
};

/** The sentence for each status that a receipt reports. */
export const REPORTS: Readonly<Partial<Record<LogStatus, string>>> = {
  delivered: 'The provider reports that it reached the phone.',
  read: 'The provider reports that it was opened.',
  failed: 'The provider reports that it could not be delivered.',
  expired: 'The provider reports that it was not delivered in its time.',
};
