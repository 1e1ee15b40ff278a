/** The verbs on the people of an account: list them, change and remove one, change one's own password. */
import type { z } from 'zod';
import type { Ctx, UserActor } from '../../../context.ts';
import { LOCKED } from '../../../db/locked.ts';
import { AppError, invalidInput } from '../../../kernel/errors.ts';
import { parseId } from '../../../kernel/ids.ts';
import { changes, recordOf } from '../../audit/record-audit.ts';
import { announceAccountChange } from '../authenticate.ts';
import { getAccount } from '../manage-accounts.ts';
import { hashNewPassword } from '../sign-in/check-password.ts';
import { keepDevice } from '../sign-in/known-device.ts';
import { Session } from '../sign-in/session.entity.ts';
import { deviceNameOf } from '../sign-in/try-sign-in.ts';
import { DashboardUser } from './dashboard-user.entity.ts';
import { revokeInvitationsBy } from './invitations.ts';
import type { changePasswordInput, updateUserInput } from './people.input.ts';
import { peopleAccount, requireStill } from './people-account.ts';
import { requirePerson, withPassword, wrongPassword } from './prove-password.ts';

/** The people of an account, oldest first; for an operator who names none, of all. @throws AppError `not_found` */
export async function listUsers(ctx: Ctx, accountId: string | null): Promise<DashboardUser[]> {
  const within = peopleAccount(ctx, accountId);
  const owner = within === null ? null : (await getAccount(ctx.em, within)).id;
  return ctx.em.find(DashboardUser, owner === null ? {} : { accountId: owner }, { orderBy: { id: 'asc' } });
}

/**
 * Changes name and role of a person; who is an owner no more takes the open invitations along. @throws AppError `not_found`; `invalid_input` on `role` for the
 * last owner
 */
export async function updateUser(ctx: Ctx, input: z.infer<typeof updateUserInput>): Promise<DashboardUser> {
  return changeUser(ctx, input.userId, async (user, em) => {
    const { name, role } = user;
    if (input.name !== undefined) user.name = input.name;
    if (input.role != null && input.role !== role) {
      if (user.oidcSubject) throw invalidInput('role', 'is what the provider says by which the person signs in');
      await requireOtherOwner(em, user, 'role');
      user.role = input.role;
      if (role === 'owner') await revokeInvitationsBy(em, ctx, user);
    }
    const details = changes({ name, role }, { name: user.name, role: user.role });
    if (details === null) return;
    await recordOf(em, ctx, user, 'user.updated', details);
    await announceAccountChange(em);
  });
}

/**
 * Removes a person, whose sessions and open invitations end, and answers who it was. @throws AppError `not_found`; `invalid_input` on
 * `userId` for the last owner
 */
export async function removeUser(ctx: Ctx, userId: string): Promise<DashboardUser> {
  return changeUser(ctx, userId, async (user, em) => {
    const { id, email, role } = user;
    await requireOtherOwner(em, user, 'userId');
    await recordOf(em, ctx, user, 'user.removed', { email, role });
    await em.nativeDelete(DashboardUser, { id });
    await revokeInvitationsBy(em, ctx, user);
    await announceAccountChange(em);
  });
}

/** Changes a person within a transaction that has the account, so that two owners cannot remove one another. @throws AppError `not_found`; `unauthenticated` for who was an owner */
export async function changeUser(
  ctx: Ctx,
  userId: string,
  change: (user: DashboardUser, em: Ctx['em']) => Promise<void>,
): Promise<DashboardUser> {
  const within = peopleAccount(ctx, null);
  const id = parseId('usr', userId);
  return ctx.em.transactional(async em => {
    const where = { id: id ?? '', ...(within === null ? {} : { accountId: within }) };
    const found = id === null ? null : await em.findOne(DashboardUser, where);
    if (found) await getAccount(em, found.accountId, LOCKED);
    const user = found && (await em.findOne(DashboardUser, where, LOCKED));
    if (!user) throw new AppError('not_found', 'There is no such person.');
    await requireStill(em, ctx.actor, 'people');
    await change(user, em);
    return user;
  });
}

async function requireOtherOwner(em: Ctx['em'], { id, accountId, role }: DashboardUser, field: string): Promise<void> {
  if (role !== 'owner') return;
  const others = await em.count(DashboardUser, { accountId, role: 'owner', id: { $ne: id } });
  if (others === 0) throw invalidInput(field, 'would leave the account without an owner: make somebody else one first');
}

/**
 * Changes the caller's own password, and ends the caller's other sessions. @throws AppError `unauthenticated` where the present one is
 * wrong, `rate_limited` after too many of those; `invalid_input` on `new`; `wrong_area` for who has no password
 */
export async function changePassword(ctx: Ctx, input: z.infer<typeof changePasswordInput>): Promise<DashboardUser> {
  const actor = requirePerson(ctx);
  const hashes = await withPassword(ctx, actor, input.current, async ({ email }, present, turn) => {
    await turn();
    return { present, next: await hashNewPassword(input.new, email, 'new') };
  });
  const user = await storePassword(ctx, actor, hashes);
  await keepDevice(ctx, deviceNameOf(user.email), hashes.next);
  return user;
}

async function storePassword(
  ctx: Ctx,
  { userId: id, sessionId }: UserActor,
  { present, next }: { readonly present: string; readonly next: string },
): Promise<DashboardUser> {
  return ctx.em.transactional(async inner => {
    // Of two changes at once, the later one was checked against what is the present password no more.
    const user = await inner.findOne(DashboardUser, { id, passwordHash: present }, LOCKED);
    if (!user) throw wrongPassword();
    user.passwordHash = next;
    // A reader of the mail with the link could undo the change.
    user.resetHash = null;
    user.resetExpiresAt = null;
    user.passwordChangedAt = ctx.clock.now();
    await inner.nativeDelete(Session, { userId: id, id: { $ne: sessionId } });
    await recordOf(inner, ctx, user, 'user.password_changed', {});
    await announceAccountChange(inner);
    return user;
  });
}
