/** Begins a session: its row, its entry in the audit trail, and the cookie of the answer. */
import type { Ctx } from '../../../context.ts';
import { hashToken } from '../../../kernel/crypto/secrets.ts';
import { AppError } from '../../../kernel/errors.ts';
import { newId, toUuid } from '../../../kernel/ids.ts';
import { storableText } from '../../../kernel/storable.ts';
import { byPerson, recordOf } from '../../audit/record-audit.ts';
import { announceAccountChange } from '../authenticate.ts';
import type { DashboardUser } from '../people/dashboard-user.entity.ts';
import { Session } from './session.entity.ts';
import { START_SESSION } from './session.sql.ts';
import { newSessionToken, sessionCookie } from './session-cookie.ts';

/** How much of a browser's description is kept. */
const AGENT_LENGTH_MAX = 200;

/** Refuses pages of other origins, which must not sign anybody in. @throws AppError `wrong_area` */
export function requireOwnPage({ request }: Ctx): void {
  if (!request.isCrossOrigin) return;
  const mend = 'If it is a page of this gateway, set PUBLIC_URL to the address that the browser shows.';
  throw new AppError('wrong_area', `A page of another origin cannot sign in here. ${mend}`);
}

/** The owner of a new session: a person, or the operator with the hash of the token. */
type Beginner = { readonly user: DashboardUser } | { readonly operatorHash: string };

interface StartedSession {
  readonly sessionId: string;
  /** The token for the cookie: give it to `keepSession` once the transaction has committed. */
  readonly token: string;
}

/** Begins a session in the transaction of `em`; it replaces the one that the caller was signed in by. */
export async function startSession(em: Ctx['em'], ctx: Ctx, beginner: Beginner): Promise<StartedSession> {
  const [sessionId, token] = [newId('ses'), newSessionToken()];
  const user = 'user' in beginner ? beginner.user : null;
  const { clientAddress, userAgent } = ctx.request;
  await endFormer(em, ctx);
  await START_SESSION.run(em.getKysely(), {
    id: toUuid(sessionId),
    hash: hashToken(token).toString('hex'),
    user: user && toUuid(user.id),
    operatorHash: 'operatorHash' in beginner ? beginner.operatorHash : null,
    address: clientAddress,
    agent: userAgent === null ? null : storableText(userAgent).slice(0, AGENT_LENGTH_MAX),
  });
  const by = user ? byPerson(ctx, user) : { request: ctx.request, requestId: ctx.requestId, actor: OPERATOR };
  await recordOf(em, by, { accountId: user?.accountId, id: sessionId }, 'session.started', {});
  return { sessionId, token };
}

const OPERATOR = { kind: 'operator' } as const;

async function endFormer(em: Ctx['em'], { actor }: Ctx): Promise<void> {
  const former = signedInBy(actor);
  if (former === null) return;
  await em.nativeDelete(Session, { id: former });
  await announceAccountChange(em);
}

/** The session that a caller is signed in by; null: none. */
export function signedInBy(actor: Ctx['actor']): string | null {
  return actor.kind === 'user' || actor.kind === 'operator' ? (actor.sessionId ?? null) : null;
}

/** Puts the session into the answer as a cookie; null takes the cookie away. */
export function keepSession({ request, services }: Ctx, token: string | null): void {
  request.answerCookies.push(sessionCookie(services.home.publicUrl(), token));
}
