/** The verb *sign in with a code*: the second step of a person with a second factor. */
import type { z } from 'zod';
import type { Ctx, UserActor } from '../../../context.ts';
import { LOCKED } from '../../../db/locked.ts';
import { hashToken, secretsEqual } from '../../../kernel/crypto/secrets.ts';
import { AppError } from '../../../kernel/errors.ts';
import { DashboardUser } from '../people/dashboard-user.entity.ts';
import { countsOfCodes, guardSignIn } from '../sign-in/guard-sign-in.ts';
import { readDevice } from '../sign-in/known-device.ts';
import { CODE_STEP, signedIn } from '../sign-in/sign-in.ts';
import { requireOwnPage, startSession } from '../sign-in/start-session.ts';
import { deviceNameOf } from '../sign-in/try-sign-in.ts';
import type { signInWithCodeInput } from './factor.input.ts';
import { spendCode } from './spend-code.ts';
import { readStep, stepCookie } from './step-cookie.ts';

/**
 * Signs in a person who gave the password before, by a code of the app or a recovery code.
 * @throws AppError `unauthenticated` for a wrong or used code, or a password too long ago; `rate_limited` after too many wrong codes;
 * `wrong_area` from another origin
 */
export async function signInWithCode(ctx: Ctx, { code }: z.infer<typeof signInWithCodeInput>): Promise<UserActor> {
  requireOwnPage(ctx);
  const user = await findOfStep(ctx);
  if (!user) throw new AppError('unauthenticated', 'The password was given too long ago. Begin again.');
  const device = readDevice(ctx, deviceNameOf(user.email));
  const by = device?.isFor(user.passwordHash ?? '') ? device : 'stranger';
  const begun = await guardSignIn(ctx, countsOfCodes(ctx, user.id, by), { email: user.email, user }, () =>
    begin(ctx, user, code),
  );
  if (!begun) throw wrongCode();
  ctx.request.answerCookies.push(stepCookie(ctx, CODE_STEP, null));
  return signedIn(ctx, begun.user, begun.session);
}

/** The error for a wrong code. */
export function wrongCode(): AppError {
  return new AppError('unauthenticated', 'The code is wrong, or was used before. Wait for the next one.');
}

/** The person who gave the password in this browser; null: nobody in time, or the password was changed since. */
async function findOfStep(ctx: Ctx): Promise<DashboardUser | null> {
  const held = readStep(ctx, CODE_STEP) as { readonly userId: string; readonly password: string } | null;
  const user = held && (await ctx.em.findOne(DashboardUser, { id: held.userId }));
  const hash = hashToken(user?.passwordHash ?? '').toString('hex');
  return user && secretsEqual(held?.password ?? '', hash) ? user : null;
}

/** Uses the code up and begins the session at once; null: the code is not right. */
function begin(ctx: Ctx, { id, passwordHash }: DashboardUser, code: string) {
  return ctx.em.transactional(async em => {
    const user = await em.findOne(DashboardUser, { id, passwordHash }, LOCKED);
    if (!user || !(await spendCode(em, ctx, user, code))) return null;
    return { user, session: await startSession(em, ctx, { user }) };
  });
}
