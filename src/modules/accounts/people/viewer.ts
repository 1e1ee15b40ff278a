/** The verb *viewer*: who asks, and what that opens. */
import type { Actor, Ctx } from '../../../context.ts';
import type { Area } from '../../../kernel/crypto/secrets.ts';
import type { Role } from '../../../kernel/role.ts';
import type { Account } from '../account.entity.ts';
import { getAccount } from '../manage-accounts.ts';
import { Session } from '../sign-in/session.entity.ts';
import { signedInBy } from '../sign-in/start-session.ts';
import { DashboardUser } from './dashboard-user.entity.ts';

/** The kinds of callers; `second_step`: a person whose password was right, and whose code is to follow. */
export const VIEWER_KINDS = ['user', 'operator', 'token', 'second_step'] as const;

type Known = Exclude<Actor, { readonly kind: 'anonymous' }>;

/** The second factor of a person. */
export interface SecondFactor {
  readonly since: Date | null;
  readonly isRequired: boolean;
  readonly recoveryCodesLeft: number;
}

/** The caller of a request, as the field `viewer` tells it. */
export interface Viewer {
  readonly kind: (typeof VIEWER_KINDS)[number];
  readonly user: DashboardUser | null;
  readonly role: Role | null;
  readonly area: Area | null;
  readonly account: Account | null;
  readonly secondFactor: SecondFactor | null;
  readonly session: Session | null;
}

/** The viewer between password and code: no fact of the person is told yet. */
export const SECOND_STEP: Viewer = {
  kind: 'second_step',
  user: null,
  role: null,
  area: null,
  account: null,
  secondFactor: null,
  session: null,
};

/** The viewer of a caller. @param actor the caller of `ctx`, or the one who has just signed in */
export async function viewerOf({ em }: Ctx, actor: Known): Promise<Viewer> {
  const sessionId = signedInBy(actor);
  const user = actor.kind === 'user' ? await em.findOne(DashboardUser, { id: actor.userId }) : null;
  const account = actor.account && (await getAccount(em, actor.account.id));
  return {
    kind: actor.kind,
    user,
    role: actor.kind === 'user' ? actor.role : null,
    area: actor.kind === 'token' ? actor.area : null,
    account,
    secondFactor: user && account && secondFactorOf(user, account),
    session: sessionId === null ? null : await em.findOne(Session, { id: sessionId }),
  };
}

function secondFactorOf(
  { secondFactorSince, recoveryCodes, oidcSubject }: DashboardUser,
  { secondFactorRequired }: Account,
): SecondFactor | null {
  if (oidcSubject) return null;
  return {
    since: secondFactorSince ?? null,
    isRequired: secondFactorRequired,
    recoveryCodesLeft: recoveryCodes.length,
  };
}
