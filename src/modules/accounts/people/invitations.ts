/** The verbs on invitations: invite a person, list and take back invitations, accept one. */
import type { z } from 'zod';
import { type Ctx, requireAccount, type UserActor } from '../../../context.ts';
import { LOCKED } from '../../../db/locked.ts';
import { hashToken } from '../../../kernel/crypto/secrets.ts';
import { AppError, invalidInput } from '../../../kernel/errors.ts';
import { fromUuid, newId, parseId, toUuid } from '../../../kernel/ids.ts';
import { byPerson, recordOf } from '../../audit/record-audit.ts';
import type { Account } from '../account.entity.ts';
import { getAccount } from '../manage-accounts.ts';
import { hashNewPassword } from '../sign-in/check-password.ts';
import { knownLane } from '../sign-in/password-lane.ts';
import { newSessionToken } from '../sign-in/session-cookie.ts';
import { signedIn } from '../sign-in/sign-in.ts';
import { requireOwnPage, startSession } from '../sign-in/start-session.ts';
import { DashboardUser } from './dashboard-user.entity.ts';
import { Invitation } from './invitation.entity.ts';
import type { acceptInvitationInput, inviteUserInput } from './people.input.ts';
import { ADD_INVITATION, ADD_USER, USE_INVITATION } from './people.sql.ts';
import { peopleAccount, requireStill } from './people-account.ts';

/** A new invitation with its link, which is shown only here. */
export interface NewInvitation {
  readonly invitation: Invitation;
  /** The token stands behind `#`, which browsers send to no server and so to no log. */
  readonly link: string;
}

/**
 * Invites a person to an account. An owner to the own one, an operator to any.
 * @throws AppError `not_found`; `invalid_input` on `email` for who signs in to it already, and on `X-Account-Id` where an operator names none
 */
export async function inviteUser(ctx: Ctx, input: z.infer<typeof inviteUserInput>): Promise<NewInvitation> {
  const { email, role } = input;
  const within = peopleAccount(ctx, input.accountId ?? null) ?? requireAccount(ctx).account.id;
  const [id, token] = [newId('inv'), newSessionToken()];
  const invitation = await ctx.em.transactional(async em => {
    const { id: accountId } = await lockAccount(em, within);
    await requireStill(em, ctx.actor, 'people');
    await requireUnknown(em, ctx.actor, email, accountId);
    await ADD_INVITATION.run(em.getKysely(), {
      id: toUuid(id),
      account: toUuid(accountId),
      email,
      role,
      hash: hashToken(token).toString('hex'),
      inviter: ctx.actor.kind === 'user' ? ctx.actor.email : null,
    });
    await recordOf(em, ctx, { id, accountId }, 'invitation.created', { email, role });
    return em.findOneOrFail(Invitation, { id });
  });
  return { invitation, link: `${ctx.services.home.publicUrl()}/dashboard/invitation#${token}` };
}

/** Owners learn nothing of the people of other accounts: such an invitation is refused to who accepts it. @throws AppError `invalid_input` */
async function requireUnknown(em: Ctx['em'], actor: Ctx['actor'], email: string, accountId: string): Promise<void> {
  const where = actor.kind === 'operator' ? { email } : { email, accountId };
  const known = await em.findOne(DashboardUser, where);
  if (!known) return;
  throw invalidInput('email', `signs in to ${known.accountId === accountId ? 'this' : 'another'} account already`);
}

/** Whatever changes invitations has the account first, as the removal of an owner has: each sees what the other did. @throws AppError `not_found` */
function lockAccount(em: Ctx['em'], accountId: string): Promise<Account> {
  return getAccount(em, accountId, LOCKED);
}

/** Takes back, in the transaction of `em`, what somebody who is no owner any more has invited and nobody has accepted. @param by the caller who changed that */
export async function revokeInvitationsBy(
  em: Ctx['em'],
  by: Parameters<typeof recordOf>[1],
  inviter: DashboardUser,
): Promise<void> {
  const { accountId, email: invitedBy } = inviter;
  const open = await em.find(Invitation, { accountId, invitedBy, acceptedAt: null });
  await em.nativeDelete(Invitation, { id: { $in: open.map(({ id }) => id) } });
  for (const invitation of open) await recordOf(em, by, invitation, 'invitation.revoked', { email: invitation.email });
}

/** The invitations to an account, newest first, those too that were accepted or are over, for a month. @throws AppError `not_found` */
export async function listInvitations(ctx: Ctx, accountId: string | null): Promise<Invitation[]> {
  const within = peopleAccount(ctx, accountId);
  const owner = within === null ? null : (await getAccount(ctx.em, within)).id;
  return ctx.em.find(Invitation, owner === null ? {} : { accountId: owner }, { orderBy: { id: 'desc' } });
}

/** Takes an invitation back that was not accepted, and answers it. @throws AppError `not_found` */
export async function revokeInvitation(ctx: Ctx, invitationId: string): Promise<Invitation> {
  const within = peopleAccount(ctx, null);
  const id = parseId('inv', invitationId);
  return ctx.em.transactional(async em => {
    const where = { id: id ?? '', acceptedAt: null, ...(within === null ? {} : { accountId: within }) };
    const invitation = id === null ? null : await em.findOne(Invitation, where);
    if (invitation) await lockAccount(em, invitation.accountId);
    // Of two at once, one finds nothing to delete.
    if (!invitation || (await em.nativeDelete(Invitation, where)) === 0)
      throw new AppError('not_found', 'There is no such invitation.');
    await recordOf(em, ctx, invitation, 'invitation.revoked', { email: invitation.email });
    return invitation;
  });
}

/** The account and role that an invitation offers. */
export interface InvitationOffer extends Pick<Invitation, 'email' | 'role' | 'invitedBy' | 'expiresAt'> {
  readonly accountName: string;
}

/** The offer of the link with this token, for anybody who has the link; null: it is over, was used or taken back. */
export async function readInvitationOffer(ctx: Ctx, token: string): Promise<InvitationOffer | null> {
  const hash = hashToken(token).toString('hex');
  const invitation = await ctx.em.findOne(Invitation, { hash, acceptedAt: null });
  if (!invitation || invitation.expiresAt <= ctx.clock.now()) return null;
  const { email, role, invitedBy, expiresAt, accountId } = invitation;
  const { name: accountName } = await getAccount(ctx.em, accountId);
  return { accountName, email, role, invitedBy, expiresAt };
}

/**
 * Makes the invited person, and signs in.
 * @throws AppError `not_found` for an ended invitation; `invalid_input` on `password`, or on `token` for an address that signs in already;
 * `wrong_area` from another origin; `rate_limited`
 */
export async function acceptInvitation(ctx: Ctx, input: z.infer<typeof acceptInvitationInput>): Promise<UserActor> {
  requireOwnPage(ctx);
  const { token, name = null, password } = input;
  const hash = hashToken(token).toString('hex');
  const invited = await ctx.em.findOne(Invitation, { hash, acceptedAt: null });
  if (!invited || invited.expiresAt <= ctx.clock.now()) throw overInvitation();
  ctx.request.stepAside?.();
  // An invited person is known: strangers cannot fill this lane.
  const passwordHash = await knownLane.run(
    { person: `invitation ${invited.id}`, shared: [`account ${invited.accountId}`] },
    ctx.signal,
    async turn => {
      await turn();
      return hashNewPassword(password, invited.email, 'password');
    },
  );
  const { user, session } = await ctx.em.transactional(async em => {
    await lockAccount(em, invited.accountId);
    const used = await USE_INVITATION.first(em.getKysely(), { hash });
    if (!used) throw overInvitation();
    const { account_id: account, email, role } = used;
    const added = await ADD_USER.first(em.getKysely(), {
      id: toUuid(newId('usr')),
      account,
      email,
      role,
      name,
      passwordHash,
    });
    if (!added) throw invalidInput('token', 'is for an address that signs in to an account already');
    const user = await em.findOneOrFail(DashboardUser, { id: fromUuid('usr', added.id) });
    await recordOf(em, byPerson(ctx, user), user, 'user.added', { email, role });
    return { user, session: await startSession(em, ctx, { user }) };
  });
  return signedIn(ctx, user, session);
}

function overInvitation(): AppError {
  return new AppError('not_found', 'The invitation is over, was used or was taken back. Ask for another one.');
}
