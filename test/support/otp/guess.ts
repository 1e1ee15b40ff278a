/** The verbs of OTPs as a caller meets them: what one call was told, be it an answer or a refusal. */
import type { Actor, Ctx, OtpSettings } from '../../../src/context.ts';
import { toAppError } from '../../../src/db/failures.ts';
import type { Area } from '../../../src/kernel/crypto/secrets.ts';
import type { ErrorCode } from '../../../src/kernel/errors.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { Otp } from '../../../src/modules/otp/otp.entity.ts';
import { resendOtp } from '../../../src/modules/otp/send/resend-otp.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { verifyOtp } from '../../../src/modules/otp/verify/verify-otp.ts';
import type { TestAccount } from '../services.ts';

/** The answer to a call: the code of its refusal with its figures, or the status of the OTP. */
export interface Told {
  readonly code: ErrorCode | Otp['status'];
  readonly attemptsRemaining?: number;
  readonly retryAfter?: number;
}

/** An OTP that went out, or why not. */
export interface ToldOfSend extends Told {
  readonly otp: Otp | null;
}

/** Guesses the code of a pin. Another address than the caller's is the end user's. @throws any error that is no refusal */
export async function guess(ctx: Ctx, { pinId }: { readonly pinId: string }, pin: string, clientIp?: string) {
  return (await told(verifyOtp(ctx, { pinId, pin, ...(clientIp ? { clientIp } : {}) }))).told;
}

/** Sends an OTP by SMS to a recipient in digits-only form, for an end user at an address where one is given. @throws any error that is no refusal */
export async function trySend(ctx: Ctx, recipient: string, clientIp?: string): Promise<ToldOfSend> {
  const input = { to: `+${recipient}`, channels: ['sms' as const], ...(clientIp ? { clientIp } : {}) };
  const { told: answer, otp } = await told(sendOtp(ctx, input));
  return { ...answer, otp };
}

/** Sends an OTP again. @throws any error that is no refusal */
export async function tryResend(ctx: Ctx, pinId: string): Promise<ToldOfSend> {
  const { told: answer, otp } = await told(resendOtp(ctx, { pinId }));
  return { ...answer, otp };
}

async function told(call: Promise<Otp>): Promise<{ told: Told; otp: Otp | null }> {
  try {
    const otp = await call;
    return { told: { code: otp.status }, otp };
  } catch (error) {
    const refusal = toAppError(error);
    if (!refusal) throw error;
    const { attemptsRemaining, retryAfter } = refusal.details;
    return {
      told: {
        code: refusal.code,
        ...(attemptsRemaining === undefined ? {} : { attemptsRemaining }),
        ...(retryAfter === undefined ? {} : { retryAfter }),
      },
      otp: null,
    };
  }
}

/** Whether a guess was looked at, and so took one of the attempts. */
export function isEvaluated({ code }: Told): boolean {
  return code === 'verified' || code === 'otp_incorrect';
}

/** How many answers have each code. */
export function tally(answers: readonly Pick<Told, 'code'>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code } of answers) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

/** The holder of a token of an account that has other settings. */
export function holderWith({ grant }: TestAccount, settings: Partial<OtpSettings>, area: Area = 'unified'): Actor {
  return { kind: 'token', tokenId: newId('tok'), area, account: { ...grant, otp: { ...grant.otp, ...settings } } };
}

/** The same context, of a caller at another address. */
export function from(ctx: Ctx, clientAddress: string): Ctx {
  return ctx.with({ request: { ...ctx.request, clientAddress } });
}
