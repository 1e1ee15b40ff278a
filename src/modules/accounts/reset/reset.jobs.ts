/** The job that mails a link for a new password. */
import { z } from 'zod';
import type { Ctx } from '../../../context.ts';
import { hashToken } from '../../../kernel/crypto/secrets.ts';
import { fromUuid } from '../../../kernel/ids.ts';
import { MailError } from '../../../mail/mail.ts';
import { defineJob } from '../../../queue/kit.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { newSessionToken } from '../sign-in/session-cookie.ts';
import { START_RESET } from './reset.sql.ts';

const schema = z.object({
  /** In lower case. */
  email: z.string(),
  /** The network address of the request. */
  clientAddress: z.string(),
});

type MailReset = z.infer<typeof schema>;

const STRANGER = { kind: 'stranger' } as const;

/** Mails the link; each try makes another one. */
export const mailResetJob = defineJob({
  name: 'mail-reset',
  schema,
  queue: { retryLimit: 3, retryDelay: 15, deleteAfterSeconds: 600 },
  run: async (ctx: Ctx, payload: MailReset) => {
    try {
      await mailReset(ctx, payload);
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      ctx.log.warn({ event: 'mail_failed', reason: error.message }, 'a link for a new password could not be mailed');
      if (!error.isFinal) throw error;
    }
  },
});

/** Mails the link, if somebody signs in by password with the address. @throws MailError where trying again may help */
async function mailReset(ctx: Ctx, { email, clientAddress }: MailReset): Promise<void> {
  const { mail, home } = ctx.services;
  const token = newSessionToken();
  const isKnown = await ctx.em.transactional(async em => {
    const found = await START_RESET.first(em.getKysely(), { email, hash: hashToken(token).toString('hex') });
    if (!found) return false;
    const by = { requestId: ctx.requestId, request: { ...ctx.request, clientAddress }, actor: STRANGER };
    const [accountId, subject] = [fromUuid('acc', found.account_id), fromUuid('usr', found.id)];
    await recordAudit(em, by, { accountId, action: 'user.reset_mailed', subject, details: {} });
    return true;
  });
  if (!isKnown) return;
  const gateway = home.publicUrl();
  await mail.send({
    to: email,
    subject: 'A new password for Heliograph',
    text: `Somebody asked for a new password for ${email} at ${gateway}.

Set it by this link, within 30 minutes and once:
${gateway}/dashboard/reset#${token}

If it was not you, do nothing: your password stays as it is.
`,
  });
}
