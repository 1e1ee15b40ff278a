/** An OTP as a send: its text is made for each attempt, and its end is a status of OTPs. */
import type { Ctx } from '../../../context.ts';
import { runSql } from '../../../db/statements/sql.ts';
import type { Channel } from '../../../kernel/channel.ts';
import { AppError } from '../../../kernel/errors.ts';
import { fromUuid, toUuid } from '../../../kernel/ids.ts';
import { maskPhone } from '../../../kernel/phone.ts';
import { loadAccount } from '../../accounts/load-account.ts';
import { Attempt, isChannelAttempt } from '../../routing/attempt.entity.ts';
import { resumeRouting } from '../../routing/recovery/recover.ts';
import { outcomeOf, templateFor, textFor } from '../../routing/routing.policy.ts';
import type { Content, SendKind } from '../../routing/send-kind.ts';
import { defineSettle } from '../../routing/settle.ts';
import { withUnderWay } from '../../routing/under-way.ts';
import { isOnList } from '../../suppressions/is-on-list.ts';
import { otpRouted } from '../../webhooks/events/event-data.sql.ts';
import { forgetFailed } from '../limits/forget-failed.ts';
import { Otp } from '../otp.entity.ts';
import { codeOf } from './code.ts';
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
  purpose: 'otp',
  table: 'otps',
  settle: defineSettle({ table: 'otps', key: 'pin_id', events: (sends, attempts) => [otpRouted(sends, attempts)] }),
  idOf: uuid => fromUuid('pin', uuid),
  async resume(ctx, id, lease, known) {
    const em = ctx.services.database.fork();
    const send = await em.findOneOrFail(Otp, { id });
    const made = await em.find(Attempt, { pinId: id, resend: send.resends });
    const isWanted = (await isLive(ctx, id)) && codeOf(ctx.services.keys, send) !== null;
    const account = await loadAccount(ctx.services.database, send.accountId);
    send.goesToSuppressed = account?.stopsOtps !== true;
    const isSuppressed = !send.goesToSuppressed && (await isOnList(ctx, send));
    const attempts = withUnderWay(made.filter(isChannelAttempt), send, OTP.attemptOf(send));
    await resumeRouting(ctx, OTP, { send, lease, attempts, isWanted, isSuppressed, known });
  },
  withdrawn: forgetFailed,
  routed(ctx, { status, channel, recipient, area }) {
    ctx.services.metrics.otps.inc({ area, event: status });
    if (!ctx.log.isLevelEnabled('debug')) return;
    ctx.log.debug({ status, channel, recipient: maskPhone(recipient) }, 'a passcode was routed');
  },
};

/** Whether its code can still be verified, by the database's clock. */
async function isLive(ctx: Ctx, id: string): Promise<boolean> {
  const [row] = await runSql<{ is_live: boolean }>(
    ctx.services.database.sql(),
    `select status in ('pending', 'sent') and expires_at > clock_timestamp() as is_live from otps where id = $1`,
    [toUuid(id)],
  );
  return row?.is_live ?? false;
}

/** How long a code can still be verified. The database's clock decides that; here a provider is told when to give up. */
function secondsLeft({ expiresAt, expiresIn }: Otp, now: Date): number {
  return Math.max(1, Math.min(expiresIn, Math.ceil((expiresAt.getTime() - now.getTime()) / 1_000)));
}

/** The content that goes out: the text, and on the cloud channel the authentication template with the code in its components. */
function contentOf({ services, clock }: Ctx, otp: Otp, channel: Channel): Content {
  const code = codeOf(services.keys, otp);
  if (code === null) throw new AppError('otp_expired', 'The key of this passcode is not known any more.');
  const { template, expiresIn, autofill } = otp;
  const cloudTemplate = templateFor(channel, otp.cloudTemplate);
  const text = renderText({ template, code, expiresIn, autofill: autofill ?? null, channel });
  return {
    text: textFor(channel, text, otp),
    template: cloudTemplate ? { ...cloudTemplate, components: templateComponents(code) } : null,
    secret: code,
    validitySeconds: secondsLeft(otp, clock.now()),
  };
}
