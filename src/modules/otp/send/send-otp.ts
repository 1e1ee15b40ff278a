/** The verb *send an OTP*: a code to one recipient, over the channels of its route. */
import { isMagic } from '../../../channels/sandbox/recipients.ts';
import { type Ctx, requireAccount } from '../../../context.ts';
import { newUuid } from '../../../kernel/ids.ts';
import { limitKey } from '../../../kernel/network/address.ts';
import type { PhoneNumber } from '../../../kernel/phone.ts';
import { tellingLimits } from '../../../kernel/rate-limit.ts';
import { newAttempt } from '../../routing/begin-attempt.ts';
import { acceptOrWithdraw } from '../../routing/recovery/unfinished.ts';
import { routeSend } from '../../routing/route-send.ts';
import { tracedSend } from '../../routing/traces/trace-send.ts';
import { routingOf, toUnderWay } from '../../routing/under-way.ts';
import { isSuppressed, recipientSuppressed } from '../../suppressions/refuse-suppressed.ts';
import { findRepeated } from '../find-repeated.ts';
import { forgetFailed } from '../limits/forget-failed.ts';
import { numberFault, placesOf } from '../limits/fraud.policy.ts';
import type { Otp } from '../otp.entity.ts';
import { newPin } from './code.ts';
import { issue } from './issue.ts';
import { OTP } from './otp-kind.ts';
import type { OtpRoute } from './otp-route.policy.ts';
import { planOtp } from './plan-otp.ts';
import { EXPIRES_IN_DEFAULT, LENGTH_DEFAULT, type SendOtpInput } from './send-otp.input.ts';
import { DEFAULT_TEMPLATE } from './text.policy.ts';

/** Codes that may be tried for one pin (contract §5). */
const ATTEMPTS_MAX = 5;

/**
 * Sends an OTP and answers it with its attempts; `failed`: no channel accepted it. An older code of the recipient is cancelled. A repeat of a
 * given code is answered with its OTP once that was accepted, and sent no more.
 * @throws AppError as `planOtp` and `issue`; `recipient_suppressed`, `overloaded`.
 */
export async function sendOtp(ctx: Ctx, input: SendOtpInput): Promise<Otp> {
  const { phone, route } = planOtp(ctx, input);
  const otp = newOtp(ctx, input, phone, route);
  if (isSuppressed(ctx, otp)) throw recipientSuppressed();
  const repeated = await findRepeated(ctx, phone.digits);
  if (repeated) return repeated;
  return tracedSend(ctx, 'send otp', otp, () => deliver(ctx, input, otp, { phone, route }));
}

async function deliver(ctx: Ctx, { clientIp }: SendOtpInput, otp: Otp, { phone, route }: Planned): Promise<Otp> {
  const { account } = requireAccount(ctx);
  const attempts = (otp.deliveryMode === 'all' ? route.legs : route.legs.slice(0, 1)).map(leg =>
    newAttempt(ctx, OTP, otp, leg),
  );
  otp.underWay = toUnderWay(attempts);
  const item = {
    otp,
    attempts,
    settings: account.otp,
    erased: otp.goesToSuppressed ? null : ctx.services.suppressed.erasedName(otp.accountId, otp.recipient),
    isExempt: isMagic(otp.recipient),
    // The sandbox's own numbers get nothing that could be pumped.
    address: clientIp && !isMagic(otp.recipient) ? limitKey(clientIp) : null,
    places: placesOf(phone.digits, phone.country),
    numberFault: numberFault(phone, account.otp, otp.channels),
  };
  const { lease, shortage, ...times } = await tellingLimits(
    ctx.request.answerHeaders,
    acceptOrWithdraw(ctx, OTP, otp, attempts, () => issue(ctx.services.database, item)),
  );
  Object.assign(otp, times);
  await routeSend(ctx, { send: otp, kind: OTP, lease, shortage, attempts, rest: route.legs.slice(attempts.length) });
  otp.attemptsMade = attempts;
  if (otp.status === 'failed') await forgetFailed(ctx, otp);
  return otp;
}

/** To whom, and over what. */
interface Planned {
  readonly phone: PhoneNumber;
  readonly route: OtpRoute;
}

/** An OTP as plain data: the ORM watches every property of its own instances, and a send goes past it. */
function newOtp(ctx: Ctx, input: SendOtpInput, phone: PhoneNumber, route: OtpRoute): Otp {
  const { account, area } = requireAccount(ctx);
  const now = ctx.clock.now();
  return {
    ...newPin(ctx.services.keys, input.length ?? LENGTH_DEFAULT, ctx.request.givenCode),
    position: newUuid(),
    accountId: account.id,
    area,
    recipient: phone.digits,
    country: phone.country ?? null,
    ...routingOf(input, account, route),
    cloudTemplate: route.cloudTemplate,
    expiresIn: input.expiresIn ?? EXPIRES_IN_DEFAULT,
    template: input.template ?? DEFAULT_TEMPLATE,
    autofill: input.autofill ?? null,
    attempts: 0,
    attemptsMax: ATTEMPTS_MAX,
    resends: 0,
    goesToSuppressed: !account.stopsOtps,
    verifiedAt: null,
    // The database's clock decides these; its answer takes their place.
    resendAvailableAt: now,
    expiresAt: now,
    createdAt: now,
  };
}
