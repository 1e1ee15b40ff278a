/** The verb *viewer*: who asks, and what that opens. */
import type { Actor, Ctx } from '../../../context.ts';
import type { Area } from '../../../kernel/crypto/secrets.ts';
import type { Role } from '../../../kernel/role.ts';
import type { Account } from '../account.entity.ts';
import { getAccount } from '../manage-accounts.ts';
import { Session } from '../sign-in/session.entity.ts';
import { signedInBy } from '../sign-in/start-session.ts';
import { DashboardUser } from './dashboard-user.entity.ts';

/** What a caller can be. */
export const VIEWER_KINDS = ['user', 'operator', 'token'] as const;

type Known = Exclude<Actor, { readonly kind: 'anonymous' }>;

/** Who asks. */
export interface Viewer {
  readonly kind: (typeof VIEWER_KINDS)[number];
  readonly user: DashboardUser | null;
  readonly role: Role | null;
  readonly area: Area | null;
  readonly account: Account | null;
  readonly session: Session | null;
}

/** Who a caller is. @param actor the caller of `ctx`, or who has just signed in */
export async function viewerOf({ em }: Ctx, actor: Known): Promise<Viewer> {
  const sessionId = signedInBy(actor);
  return {
    kind: actor.kind,
    user: actor.kind === 'user' ? await em.findOne(DashboardUser, { id: actor.userId }) : null,
    role: actor.kind === 'user' ? actor.role : null,
    area: actor.kind === 'token' ? actor.area : null,
    account: actor.account && (await getAccount(em, actor.account.id)),
    session: sessionId === null ? null : await em.findOne(Session, { id: sessionId }),
  };
}
