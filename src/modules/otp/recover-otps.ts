/** The verb *recover OTPs*: ends what a dead process left, so that every OTP that was accepted comes to a definite state. */
import type { Ctx } from '../../context.ts';
import { recoverSends } from '../routing/recovery/recover.ts';
import { OTP } from './send/otp-kind.ts';

/** Takes the OTPs whose lease is over, and goes on with the latest send of each. Answers how many were taken. */
export function recoverOtps(ctx: Ctx): Promise<number> {
  return recoverSends(ctx, OTP);
}
