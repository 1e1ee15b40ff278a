/** The verbs on a password that was forgotten: ask for a link by mail, and set a new password by it. */
import type { z } from 'zod';
import type { Ctx } from '../../../context.ts';
import { hashToken } from '../../../kernel/crypto/secrets.ts';
import { AppError } from '../../../kernel/errors.ts';
import { fromUuid } from '../../../kernel/ids.ts';
import { byPerson, recordOf } from '../../audit/record-audit.ts';
import { announceAccountChange } from '../authenticate.ts';
import { hashNewPassword } from '../sign-in/check-password.ts';
import { countsOfResets, takePlaces } from '../sign-in/guard-sign-in.ts';
import { keepDevice } from '../sign-in/known-device.ts';
import { knownLane } from '../sign-in/password-lane.ts';
import { Session } from '../sign-in/session.entity.ts';
import { requireOwnPage } from '../sign-in/start-session.ts';
import { deviceNameOf } from '../sign-in/try-sign-in.ts';
import type { requestPasswordResetInput, resetPasswordInput } from './reset.input.ts';
import { mailResetJob } from './reset.jobs.ts';
import { FIND_RESET, USE_RESET } from './reset.sql.ts';

/**
 * Mails a link to the person who signs in by this address. A job looks the address up: the answer and its time do not tell whether it is known.
 * @throws AppError `not_found` where no mail is set, `rate_limited`; `wrong_area` for a page of another origin
 */
export async function requestPasswordReset(
  ctx: Ctx,
  { email }: z.infer<typeof requestPasswordResetInput>,
): Promise<true> {
  requireOwnPage(ctx);
  const { mail, jobs } = ctx.services;
  if (!mail.isSet) throw new AppError('not_found', 'This gateway sends no mail. Ask an owner to invite you anew.');
  await takePlaces(ctx, countsOfResets(ctx, email));
  const { clientAddress } = ctx.request;
  await ctx.em.transactional(em => jobs.enqueue(em, mailResetJob, [{ email, clientAddress }]));
  return true;
}

/**
 * Sets a new password by the link, ends all sessions of the person and makes the browser a known one. Nobody is signed in: a second factor stays.
 * @throws AppError `not_found` for a link that is over, `invalid_input` on `password`; `wrong_area` for a page of another origin; `rate_limited`
 */
export async function resetPassword(ctx: Ctx, { token, password }: z.infer<typeof resetPasswordInput>): Promise<true> {
  requireOwnPage(ctx);
  const hash = hashToken(token).toString('hex');
  const found = await FIND_RESET.first(ctx.services.database.sql(), { hash });
  if (!found) throw overLink();
  ctx.request.stepAside?.();
  // A person with the link is known: strangers cannot fill this lane.
  const whom = { person: `reset ${found.id}`, shared: [`account ${fromUuid('acc', found.account_id)}`] };
  const passwordHash = await knownLane.run(whom, ctx.signal, async turn => {
    await turn();
    return hashNewPassword(password, found.email, 'password');
  });
  const email = await ctx.em.transactional(async em => {
    const used = await USE_RESET.first(em.getKysely(), { hash, passwordHash });
    if (!used) throw overLink();
    const user = { id: fromUuid('usr', used.id), email: used.email, accountId: fromUuid('acc', used.account_id) };
    await em.nativeDelete(Session, { userId: user.id });
    await recordOf(em, byPerson(ctx, user), user, 'user.password_reset', {});
    await announceAccountChange(em);
    return used.email;
  });
  // Otherwise strangers could keep the person out: no browser of before is known under the new hash.
  await keepDevice(ctx, deviceNameOf(email), passwordHash);
  return true;
}

function overLink(): AppError {
  return new AppError('not_found', 'The link is over, or was used. Ask for another one.');
}
