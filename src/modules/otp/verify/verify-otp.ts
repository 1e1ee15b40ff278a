/** The verb *verify an OTP*: whether a code is the one that was sent. */
import type { AccountGrant, Ctx, OtpSettings } from '../../../context.ts';
import { AppError } from '../../../kernel/errors.ts';
import { fromUuid, parseId } from '../../../kernel/ids.ts';
import { limitKey } from '../../../kernel/network/address.ts';
import { LimitError, type RateLimitPolicy, tellingLimits } from '../../../kernel/rate-limit.ts';
import type { Otp } from '../otp.entity.ts';
import { requireOtpCaller } from '../otp-caller.ts';
import { codeMacs } from '../send/code.ts';
import type { VerifyOtpInput } from '../send/send-otp.input.ts';
import { type Budget, type Verdict, verify } from './judge-guess.ts';

/** A pin that nobody has: what is no pinId at all is looked for like one, so that it takes as long. */
const NO_PIN = fromUuid('pin', 'ffffffff-ffff-ffff-ffff-ffffffffffff');

/**
 * Verifies an OTP and answers it, consumed. The attempt is counted by the statement that looks at the code, and stays counted
 * whatever fails after it.
 * @throws AppError `unified_api_disabled`, `plan_expired`, `wrong_area`; `otp_incorrect` (with `attemptsRemaining`),
 * `otp_not_found` (unknown, another account's, another area's), `otp_already_verified`, `otp_expired`, `otp_blocked`,
 * `rate_limited`, `database_unavailable`.
 */
export async function verifyOtp(ctx: Ctx, input: VerifyOtpInput): Promise<Otp> {
  const { account, area } = await requireOtpCaller(ctx);
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

/** The address that the limits count: the end user's, else the caller's. */
function addressOf({ request }: Ctx, clientIp: string | null | undefined): string {
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
      limit: otp.wrongCodesPerAccount,
      windowSeconds: WRONG_CODE_WINDOWS.account,
    },
    'the wrong codes of an account have reached their limit: somebody may be guessing passcodes',
  );
}

const WRONG_CODE_WINDOWS: Readonly<Record<Budget, number>> = { address: 300, recipient: 86_400, account: 60 };

/** The budget of wrong codes that is used up. */
function policyOf(settings: OtpSettings, by: Budget): RateLimitPolicy {
  const quotas: Readonly<Record<Budget, number>> = {
    address: settings.wrongCodesPerAddress,
    recipient: settings.wrongCodesPerDay,
    account: settings.wrongCodesPerAccount,
  };
  return { name: `otp-wrong-codes-${by}`, quota: quotas[by], windowSeconds: WRONG_CODE_WINDOWS[by] };
}

function refusalOf(verdict: Exclude<Verdict, { kind: 'verified' }>, settings: OtpSettings): AppError {
  switch (verdict.kind) {
    case 'incorrect': {
      const { remaining } = verdict;
      const detail =
        remaining === 0
          ? 'The passcode is blocked now.'
          : `${remaining} ${remaining === 1 ? 'try is' : 'tries are'} left.`;
      return new AppError('otp_incorrect', `The code is wrong. ${detail}`, { attemptsRemaining: remaining });
    }
    case 'limited': {
      const message = 'Too many wrong codes for this recipient, from this address or of this account.';
      return new LimitError('rate_limited', message, policyOf(settings, verdict.by), verdict.retryAfterSeconds);
    }
    case 'blocked':
      return new AppError('otp_blocked', 'Too many wrong codes were given for this passcode. Send a new one.');
    case 'already_verified':
      return new AppError('otp_already_verified', 'This passcode was used already. Send a new one.');
    case 'cancelled':
      return new AppError('otp_expired', 'A newer passcode was sent to this recipient. Use that one.');
    case 'keyless':
    case 'expired':
      return new AppError('otp_expired', 'This passcode is over. Send a new one.');
    case 'not_found':
      return new AppError('otp_not_found', 'There is no such passcode.');
  }
}
