/** Checks the present password of a signed-in person, before a change of the password or of the second factor. */
import type { Ctx, UserActor } from '../../../context.ts';
import { AppError } from '../../../kernel/errors.ts';
import { checkPassword } from '../sign-in/check-password.ts';
import { countsOfSession, guardSignIn } from '../sign-in/guard-sign-in.ts';
import { knownLane, type Turn } from '../sign-in/password-lane.ts';
import { DashboardUser } from './dashboard-user.entity.ts';

/** The caller as a person. @throws AppError `wrong_area` for any other caller */
export function requirePerson({ actor }: Ctx): UserActor {
  if (actor.kind !== 'user') throw new AppError('wrong_area', 'Only a person who is signed in has a password.');
  return actor;
}

/**
 * Does `work` with the person and the hash of the password in a place of the lane of passwords, once the password was right. @throws AppError `unauthenticated` where it
 * is wrong, `rate_limited` after too many of those, and what `work` throws
 */
export async function withPassword<Result>(
  ctx: Ctx,
  { userId: id, email, account }: UserActor,
  password: string,
  work: (user: DashboardUser, passwordHash: string, turn: Turn) => Promise<Result>,
): Promise<Result> {
  ctx.request.stepAside?.();
  const whom = { person: `session ${id}`, shared: [`account ${account.id}`] };
  return knownLane.run(whom, ctx.signal, async turn => {
    const user = await ctx.em.findOne(DashboardUser, { id });
    const hash = user?.passwordHash ?? null;
    if (user && hash === null) throw new AppError('wrong_area', 'You have no password here: you sign in another way.');
    const found = await guardSignIn(ctx, countsOfSession(id), { email, user }, async () => {
      await turn();
      return (await checkPassword(password, hash)) ? user : null;
    });
    if (!found || hash === null) throw wrongPassword();
    return work(found, hash, turn);
  });
}

/** The error for a wrong present password. */
export function wrongPassword(): AppError {
  return new AppError('unauthenticated', 'The present password is wrong.');
}
