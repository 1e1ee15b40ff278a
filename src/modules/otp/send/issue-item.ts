import type { OtpSettings } from '../../../context.ts';
import type { ChannelAttempt } from '../../routing/attempt.entity.ts';
import type { NumberFault } from '../limits/fraud.policy.ts';
import type { Otp } from '../otp.entity.ts';

/** A send of an OTP that is to be accepted. */
export interface IssueItem {
  readonly otp: Otp;
  readonly attempts: readonly ChannelAttempt[];
  readonly settings: OtpSettings;
  /** Whether its recipient is exempt from the limits of recipients and from the fraud guard. */
  readonly isExempt: boolean;
  /** The name of its recipient, had it been erased; null: the account stops no OTPs, so the list is not looked into. */
  readonly erased: string | null;
  /** The end user's address as the limits count it; null: the caller has named none, so no limit counts one. */
  readonly address: string | null;
  /** The places that the fraud guard counts it for. */
  readonly places: readonly string[];
  /** The fault of the number itself, by the settings of the account; null: none. */
  readonly numberFault: NumberFault | null;
}
