/** The verb *verify an OTP*: whether a code is the one that was sent. */
import type { AccountGrant, Ctx, OtpSettings } from '../../../context.ts';
import { AppError } from '../../../kernel/errors.ts';
import { fromUuid, parseId } from '../../../kernel/ids.ts';
import { limitKey } from '../../../kernel/network/address.ts';
import { LimitError, tellingLimits } from '../../../kernel/rate-limit.ts';
import type { Otp } from '../otp.entity.ts';
import { requireOtpCaller } from '../otp-caller.ts';
import { codeMacs } from '../send/code.ts';
import type { VerifyOtpInput } from '../send/send-otp.input.ts';
import { type Budget, type Verdict, verify, WRONG_CODES_ALARM } from './judge-guess.ts';

/** A pin that nobody has. Malformed ids are looked up by it, so that they take as long as others. */
const NO_PIN = fromUuid('pin', 'ffffffff-ffff-ffff-ffff-ffffffffffff');

/**
 * Verifies an OTP and answers it, consumed. The attempt counts, whatever fails after it. @throws AppError as `requireOtpCaller`; `otp_incorrect`
 * (with `attemptsRemaining`), `otp_not_found` (another account's or area's, too), `otp_already_verified`, `otp_expired`, `otp_blocked`.
 */
export async function verifyOtp(ctx: Ctx, input: VerifyOtpInput): Promise<Otp> {
  const { account, area } = requireOtpCaller(ctx);
  ctx.services.sends.noteSend(account.id);
  const pinId = parseId('pin', input.pinId) ?? NO_PIN;
  const verdict = await verify(ctx.services.database)({
    pinId,
    accountId: account.id,
    area,
    macs: codeMacs(ctx.services.keys, pinId, input.pin),
    address: addressOf(ctx, input.clientIp),
    settings: account.otp,
  });
  ctx.services.metrics.otps.inc({ area, event: verdict.kind });
  if (verdict.isAlarm) tellOperator(ctx, account);
  if (verdict.kind === 'verified') return verdict.otp;
  return tellingLimits(ctx.request.answerHeaders, Promise.reject(refusalOf(verdict, account.otp)));
}

/** The address that the limits count: the end user's, else the caller's; null: none. */
function addressOf({ request }: Ctx, clientIp: string | null | undefined): string | null {
  if (request.isAtDoor && clientIp == null) return null;
  return limitKey(clientIp ?? request.clientAddress) ?? request.clientAddress;
}

/** The alarm that somebody may be guessing the codes of an account, once in a minute and not for each guess. */
function tellOperator({ services, log, actor }: Ctx, { id, otp }: AccountGrant): void {
  services.metrics.otpAlarms.inc();
  log.error(
    {
      event: 'otp_wrong_codes_alarm',
      accountId: id,
      ...(actor.kind === 'token' ? { tokenId: actor.tokenId } : {}),
      ...(actor.kind === 'user' ? { sessionId: actor.sessionId } : {}),
      wrongCodes: otp.wrongCodesPerAccount ?? WRONG_CODES_ALARM,
      windowSeconds: BUDGETS.account.windowSeconds,
    },
    'an account has many wrong codes: somebody may be guessing passcodes',
  );
}

/** The budgets of wrong codes: the setting of each one's size, and its window in seconds. */
const BUDGETS = {
  address: { setting: 'wrongCodesPerAddress', windowSeconds: 300 },
  recipient: { setting: 'wrongCodesPerDay', windowSeconds: 86_400 },
  account: { setting: 'wrongCodesPerAccount', windowSeconds: 60 },
} as const satisfies Readonly<Record<Budget, object>>;

/** The errors of guesses whose code was not compared. */
const REFUSALS = {
  blocked: ['otp_blocked', 'Too many wrong codes were given for this passcode. Send a new one.'],
  already_verified: ['otp_already_verified', 'This passcode was used already. Send a new one.'],
  cancelled: ['otp_expired', 'A newer passcode was sent to this recipient. Use that one.'],
  keyless: ['otp_expired', 'This passcode is over. Send a new one.'],
  expired: ['otp_expired', 'This passcode is over. Send a new one.'],
  not_found: ['otp_not_found', 'There is no such passcode.'],
} as const;

function refusalOf(verdict: Exclude<Verdict, { kind: 'verified' }>, settings: OtpSettings): AppError {
  if (verdict.kind === 'incorrect') {
    const { remaining } = verdict;
    const left = `${remaining} ${remaining === 1 ? 'try is' : 'tries are'} left.`;
    const message = `The code is wrong. ${remaining === 0 ? 'The passcode is blocked now.' : left}`;
    return new AppError('otp_incorrect', message, { attemptsRemaining: remaining });
  }
  if (verdict.kind === 'limited') {
    const { setting, windowSeconds } = BUDGETS[verdict.by];
    const policy = {
      name: `otp-wrong-codes-${verdict.by}`,
      quota: settings[setting] ?? WRONG_CODES_ALARM,
      windowSeconds,
    };
    const message = 'Too many wrong codes for this recipient, from this address or of this account.';
    return new LimitError('rate_limited', message, policy, verdict.retryAfterSeconds);
  }
  const [code, message] = REFUSALS[verdict.kind];
  return new AppError(code, message);
}
