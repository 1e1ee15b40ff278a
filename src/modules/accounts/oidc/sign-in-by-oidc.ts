/** The verbs *start OIDC* and *sign in by OIDC*: the way to the provider of the settings, and the way back. */
import type { z } from 'zod';
import type { Ctx, UserActor } from '../../../context.ts';
import { LOCKED } from '../../../db/locked.ts';
import { AppError } from '../../../kernel/errors.ts';
import { fromUuid, newId, toUuid } from '../../../kernel/ids.ts';
import type { Role } from '../../../kernel/role.ts';
import { storableText } from '../../../kernel/storable.ts';
import type { Oidc, OidcChecks, OidcClaims } from '../../../outbound/oidc.ts';
import { OidcError } from '../../../outbound/oidc.ts';
import { byPerson, changes, recordOf } from '../../audit/record-audit.ts';
import { announceAccountChange } from '../authenticate.ts';
import { getAccount } from '../manage-accounts.ts';
import { DashboardUser } from '../people/dashboard-user.entity.ts';
import { revokeInvitationsBy } from '../people/invitations.ts';
import { readStep, type Step, stepCookie } from '../second-factor/step-cookie.ts';
import { countsOfStrangers, guardSignIn } from '../sign-in/guard-sign-in.ts';
import { Session } from '../sign-in/session.entity.ts';
import { signedIn } from '../sign-in/sign-in.ts';
import { requireOwnPage, startSession } from '../sign-in/start-session.ts';
import type { signInByOidcInput } from './oidc.input.ts';
import { ADD_OIDC_USER } from './oidc.sql.ts';
import { roleOf } from './role.policy.ts';

/** The step between both verbs: its cookie binds the way back to the browser that began. */
const OIDC_STEP: Step = { name: 'heliograph_oidc', seconds: 600 };

/** The longest name that is kept. */
const NAME_LENGTH_MAX = 100;

/** Answers the address of the provider's sign-in page, and keeps the checks of the way back in a cookie. @throws AppError `not_found` without a provider, `overloaded` where it does not answer */
export async function startOidc(ctx: Ctx): Promise<string> {
  requireOwnPage(ctx);
  const oidc = requireOidc(ctx);
  ctx.request.stepAside?.();
  const { url, checks } = await oidc.begin(redirectUriOf(ctx)).catch(error => {
    throw unreachable(ctx, oidc, error);
  });
  ctx.request.answerCookies.push(stepCookie(ctx, OIDC_STEP, checks));
  return url;
}

/**
 * Signs in the person who comes back from the provider.
 * @throws AppError `unauthenticated` for a refusal or a lost cookie; `wrong_area` for a person without a role, or with another way to sign in
 * @throws AppError `rate_limited`, `not_found`; `overloaded` where the provider does not answer
 */
export async function signInByOidc(ctx: Ctx, { address }: z.infer<typeof signInByOidcInput>): Promise<UserActor> {
  requireOwnPage(ctx);
  const oidc = requireOidc(ctx);
  const checks = readStep(ctx, OIDC_STEP) as OidcChecks | null;
  if (!checks)
    throw new AppError('unauthenticated', 'This sign-in took too long, or began in another browser. Begin again.');
  ctx.request.answerCookies.push(stepCookie(ctx, OIDC_STEP, null));
  ctx.request.stepAside?.();
  let refusal = '';
  const claims = await guardSignIn(ctx, countsOfStrangers(ctx, null), null, async () => {
    try {
      return await oidc.finish(new URL(`${redirectUriOf(ctx)}${address}`), checks);
    } catch (error) {
      // No fault of who comes back: nothing is counted.
      if (error instanceof OidcError && error.isAway) throw unreachable(ctx, oidc, error);
      refusal = refusalOf(ctx, oidc, error);
      return null;
    }
  });
  if (!claims) throw new AppError('unauthenticated', refusal);
  return enter(ctx, oidc, claims);
}

/** The page that the provider sends the browser back to: it hands on what stands behind `?`. */
function redirectUriOf({ services }: Ctx): string {
  return `${services.home.publicUrl()}/dashboard/oidc`;
}

function requireOidc({ services: { oidc } }: Ctx): Oidc {
  if (!oidc) throw new AppError('not_found', 'This gateway has no other way to sign in than by password.');
  return oidc;
}

function unreachable(ctx: Ctx, { settings: { name } }: Oidc, error: unknown): AppError {
  ctx.log.warn({ event: 'oidc_unreachable', reason: reasonOf(error) }, 'the OIDC provider did not answer as it should');
  return new AppError('overloaded', `The provider (${name}) does not answer. Try again in a moment.`, {
    retryAfter: 5,
  });
}

function refusalOf(ctx: Ctx, { settings: { name } }: Oidc, error: unknown): string {
  if (error instanceof OidcError && error.isRefusal) return `The sign-in was refused by the provider (${name}).`;
  ctx.log.warn({ event: 'oidc_refused', reason: reasonOf(error) }, 'a sign-in by the OIDC provider failed');
  return `The provider (${name}) did not confirm who you are. Begin again.`;
}

/** Not the error itself: it may hold what the provider answered. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}

/** Makes or finds the person of these claims, with the role that they give now, and begins a session. */
async function enter(ctx: Ctx, { settings }: Oidc, claims: OidcClaims): Promise<UserActor> {
  const { name, accountId, issuer, roleClaim, roles } = settings;
  const subject = `${issuer.href} ${claims.sub}`;
  const role = roleOf(claims, roleClaim, roles);
  if (role === null) {
    await refuseKnown(ctx, subject);
    throw new AppError('wrong_area', `The provider (${name}) gives you no role here. Ask who manages it.`);
  }
  const { user, session } = await ctx.em.transactional(async em => {
    await getAccount(em, accountId, LOCKED);
    const known = await em.findOne(DashboardUser, { oidcSubject: subject }, LOCKED);
    const user = known ?? (await addPerson(em, ctx, { claims, subject, role, accountId, name }));
    if (user.accountId !== accountId)
      throw new AppError(
        'wrong_area',
        `${user.email} signs in to another account. The operator can remove that person.`,
      );
    if (known) await changeRole(em, ctx, known, role);
    return { user, session: await startSession(em, ctx, { user }) };
  });
  return signedIn(ctx, user, session);
}

interface NewPerson {
  readonly claims: OidcClaims;
  readonly subject: string;
  readonly role: Role;
  readonly accountId: string;
  readonly name: string;
}

async function addPerson(em: Ctx['em'], ctx: Ctx, { claims, subject, role, accountId, name }: NewPerson) {
  const email = typeof claims.email === 'string' ? storableText(claims.email).trim().toLowerCase() : '';
  if (email === '')
    throw new AppError('wrong_area', `The provider (${name}) tells no e-mail address of you. Ask who manages it.`);
  const added = await ADD_OIDC_USER.first(em.getKysely(), {
    id: toUuid(newId('usr')),
    account: toUuid(accountId),
    email,
    role,
    name: typeof claims.name === 'string' ? storableText(claims.name).slice(0, NAME_LENGTH_MAX) : null,
    subject,
  });
  // An address proves nobody: who has it with the provider need not be who has the password here.
  if (!added)
    throw new AppError('wrong_area', `${email} signs in another way here. An owner can remove that person first.`);
  const user = await em.findOneOrFail(DashboardUser, { id: fromUuid('usr', added.id) });
  await recordOf(em, byPerson(ctx, user), user, 'user.added', { email, role, by: 'oidc' });
  return user;
}

/** The provider decides the role, at each sign-in. */
async function changeRole(em: Ctx['em'], ctx: Ctx, user: DashboardUser, role: Role): Promise<void> {
  const details = changes({ role: user.role }, { role });
  if (details === null) return;
  if (user.role === 'owner') await revokeInvitationsBy(em, byPerson(ctx, user), user);
  user.role = role;
  await recordOf(em, byPerson(ctx, user), user, 'user.updated', details);
  await announceAccountChange(em);
}

/** Signs a known person out everywhere, since the provider gives that person no role any more. */
async function refuseKnown(ctx: Ctx, oidcSubject: string): Promise<void> {
  await ctx.em.transactional(async em => {
    const user = await em.findOne(DashboardUser, { oidcSubject });
    if (!user) return;
    const { id, accountId } = user;
    await getAccount(em, accountId, LOCKED);
    await em.nativeDelete(Session, { userId: id });
    const { request, requestId } = ctx;
    const by = { request, requestId, actor: { kind: 'stranger' } } as const;
    await revokeInvitationsBy(em, by, user);
    await recordOf(em, by, user, 'session.refused', { by: 'oidc' });
    await announceAccountChange(em);
  });
}
