/** An OTP as a send: its text is made for each attempt, and its end is a status of OTPs. */
import type { Ctx } from '../../context.ts';
import type { Channel } from '../../kernel/channel.ts';
import { AppError } from '../../kernel/errors.ts';
import { maskPhone } from '../../kernel/phone.ts';
import { outcomeOf, templateFor } from '../routing/routing.policy.ts';
import type { Content, SendKind } from '../routing/send-kind.ts';
import { defineSettle } from '../routing/settle.ts';
import { otpRouted } from '../webhooks/event-data.sql.ts';
import { codeOf } from './code.ts';
import type { Otp } from './otp.entity.ts';
import { renderText, templateComponents } from './text.policy.ts';

/** OTPs on their way. */
export const OTP: SendKind<Otp> = {
  attemptOf: ({ id, resends, country }) => ({
    type: 'otp_attempt',
    messageId: null,
    pinId: id,
    resend: resends,
    reference: null,
    country: country ?? null,
  }),
  contentOf,
  end(otp, attempts) {
    const { status, channel } = outcomeOf(attempts);
    // Nobody knows whether the code arrived: it may have, so it can be verified (contract §4).
    const ended = status === 'failed' ? 'failed' : 'sent';
    if (otp.status === 'pending') otp.status = ended;
    otp.channel ??= channel;
    return { status: ended, channel, kept: null };
  },
  table: 'otps',
  settle: defineSettle({ table: 'otps', key: 'pin_id', events: attempts => [otpRouted('held', attempts)] }),
  routed(ctx, { status, channel, recipient, area }) {
    ctx.services.metrics.otps.inc({ area, event: status });
    if (!ctx.log.isLevelEnabled('debug')) return;
    ctx.log.debug({ status, channel, recipient: maskPhone(recipient) }, 'a passcode was routed');
  },
};

/** What goes out: the text, and on the cloud channel the authentication template with the code in its components. */
function contentOf({ services }: Ctx, otp: Otp, channel: Channel): Content {
  const code = codeOf(services.keys, otp);
  if (code === null) throw new AppError('otp_expired', 'The key of this passcode is not known any more.');
  const { template, expiresIn, autofill } = otp;
  const cloudTemplate = templateFor(channel, otp.cloudTemplate);
  return {
    text: renderText({ template, code, expiresIn, autofill: autofill ?? null, channel }),
    template: cloudTemplate ? { ...cloudTemplate, components: templateComponents(code) } : null,
    secret: code,
  };
}
