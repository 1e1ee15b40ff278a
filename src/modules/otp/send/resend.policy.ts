/** When an OTP may be sent again: after 60 s, then 120 s, then 300 s, three times, as long as its code lives. Pure. */
import type { Otp } from '../otp.entity.ts';

/** Seconds before each resend, counted from the send before it. */
export const RESEND_WAITS = [60, 120, 300] as const;

/** When it may be sent again; null where it never may: it is over, or was sent again three times. */
export function resendAvailableAt({ status, resendAvailableAt: at, expiresAt }: Otp): Date | null {
  const isLive = status === 'pending' || status === 'sent';
  return isLive && at < expiresAt ? at : null;
}
