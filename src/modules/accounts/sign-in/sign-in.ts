/** The verbs *sign in* and *sign in as operator*. */
import type { z } from 'zod';
import type { Ctx, OperatorActor, UserActor } from '../../../context.ts';
import { LOCKED } from '../../../db/locked.ts';
import { hashToken, secretsEqual } from '../../../kernel/crypto/secrets.ts';
import { AppError, noSuchAccount } from '../../../kernel/errors.ts';
import { loadAccount } from '../load-account.ts';
import { getAccount } from '../manage-accounts.ts';
import { DashboardUser } from '../people/dashboard-user.entity.ts';
import type { signInAsOperatorInput, signInInput } from '../people/people.input.ts';
import { type Step, stepCookie } from '../second-factor/step-cookie.ts';
import { checkPassword } from './check-password.ts';
import { keepDevice } from './known-device.ts';
import { operatorHashOf } from './load-session.ts';
import { keepSession, requireOwnPage, startSession } from './start-session.ts';
import { deviceNameOf, trySignIn } from './try-sign-in.ts';

/** The step from a right password to the code. Its cookie holds the person, and a hash of the stored password hash. */
export const CODE_STEP: Step = { name: 'heliograph_step', seconds: 300 };

/**
 * Signs a person in by password; null: a code of the second factor is to follow within five minutes.
 * @throws AppError `unauthenticated`, for an unknown address too; `rate_limited` after too many wrong ones, or while too many are checked;
 * `wrong_area` from another origin
 */
export async function signIn(ctx: Ctx, { email, password }: z.infer<typeof signInInput>): Promise<UserActor | null> {
  requireOwnPage(ctx);
  const found = await trySignIn(ctx, {
    email,
    find: () => ctx.em.findOne(DashboardUser, { email }),
    secretOf: user => user.passwordHash ?? '',
    isRight: user => checkPassword(password, user?.passwordHash ?? null),
  });
  if (!found?.passwordHash) throw new AppError('unauthenticated', 'The e-mail address or the password is wrong.');
  if (!found.secondFactorSince) return startFor(ctx, found);
  const held = { userId: found.id, password: hashToken(found.passwordHash).toString('hex') };
  ctx.request.answerCookies.push(stepCookie(ctx, CODE_STEP, held));
  return null;
}

/** Signs in a person whose password was right just now. @throws AppError `unauthenticated` where it was changed meanwhile */
async function startFor(ctx: Ctx, { id, passwordHash }: DashboardUser): Promise<UserActor> {
  const { user, session } = await ctx.em.transactional(async em => {
    const user = await em.findOne(DashboardUser, { id, passwordHash, secondFactorSince: null }, LOCKED);
    if (!user) throw new AppError('unauthenticated', 'The e-mail address or the password is wrong.');
    return { user, session: await startSession(em, ctx, { user }) };
  });
  return signedIn(ctx, user, session);
}

/** Gives a new session of a person to the browser, which is known from then on, and answers who that is. */
export async function signedIn(
  ctx: Ctx,
  { id: userId, email, role, accountId, passwordHash, secondFactorSince }: DashboardUser,
  { sessionId, token }: { readonly sessionId: string; readonly token: string },
): Promise<UserActor> {
  const account = await loadAccount(ctx.services.database, accountId);
  if (!account) throw noSuchAccount();
  const { secondFactorRequired } = await getAccount(ctx.em, accountId);
  keepSession(ctx, token);
  // A known device is for passwords: a person of the OIDC provider has none.
  if (passwordHash) await keepDevice(ctx, deviceNameOf(email), passwordHash);
  const mustEnrol = secondFactorRequired && !secondFactorSince && Boolean(passwordHash);
  return { kind: 'user', userId, email, sessionId, role, account, mustEnrol };
}

/** Signs the operator in by the token. @throws AppError `unauthenticated`, `rate_limited`; `wrong_area` for a page of another origin */
export async function signInAsOperator(
  ctx: Ctx,
  { token: given }: z.infer<typeof signInAsOperatorInput>,
): Promise<OperatorActor> {
  requireOwnPage(ctx);
  const { operatorHash } = ctx.services;
  const found = await trySignIn(ctx, {
    email: null,
    find: async () => operatorHash,
    secretOf: hash => hash,
    isRight: async hash => hash !== null && secretsEqual(operatorHashOf(given), hash),
  });
  if (found === null) throw new AppError('unauthenticated', "This is not the operator's token.");
  const session = await ctx.em.transactional(em => startSession(em, ctx, { operatorHash: found }));
  keepSession(ctx, session.token);
  await keepDevice(ctx, deviceNameOf(null), found);
  return { kind: 'operator', account: null, sessionId: session.sessionId };
}
