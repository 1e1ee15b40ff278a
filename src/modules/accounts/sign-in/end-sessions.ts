/** The verbs on one's own sessions: list them, sign out, sign out everywhere, end one of them. */
import type { FilterQuery } from '@mikro-orm/core';
import type { Ctx } from '../../../context.ts';
import { AppError } from '../../../kernel/errors.ts';
import { fromUuid, parseId, toUuid } from '../../../kernel/ids.ts';
import type { AuditAction } from '../../audit/audit-actions.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { announceAccountChange } from '../authenticate.ts';
import { Session } from './session.entity.ts';
import { LIST_SESSIONS } from './session.sql.ts';
import { keepSession, signedInBy } from './start-session.ts';

/** The sessions of the caller: a person's own, or the operator's. @throws AppError `unauthenticated`, `wrong_area` */
function ownSessions({ actor }: Ctx): { readonly userId: string | null } {
  if (actor.kind === 'user') return { userId: actor.userId };
  if (actor.kind === 'operator') return { userId: null };
  throw new AppError(actor.kind === 'token' ? 'wrong_area' : 'unauthenticated');
}

/** The live sessions of the caller, newest first. @throws AppError `unauthenticated`, `wrong_area` */
export async function listSessions(ctx: Ctx): Promise<Session[]> {
  const { userId } = ownSessions(ctx);
  const live = await LIST_SESSIONS.run(ctx.services.database.sql(), { user: userId && toUuid(userId) });
  const ids = live.map(({ id }) => fromUuid('ses', id));
  return ctx.em.find(Session, { id: { $in: ids } }, { orderBy: { id: 'desc' } });
}

/** Ends the session of the caller, and takes the cookie away in any case. Answers whether there was one. */
export async function signOut(ctx: Ctx): Promise<boolean> {
  keepSession(ctx, null);
  const id = signedInBy(ctx.actor);
  if (id === null) return false;
  return (await endSessions(ctx, { id }, 'session.ended', id)) > 0;
}

/** Ends every session of the caller, this one too, and answers how many there were. @throws AppError `unauthenticated`, `wrong_area` */
export async function signOutEverywhere(ctx: Ctx): Promise<number> {
  const ended = await endSessions(ctx, ownSessions(ctx), 'session.all_ended', null);
  keepSession(ctx, null);
  return ended;
}

/** Ends one session of the caller, and answers it. @throws AppError `unauthenticated`, `wrong_area`, `not_found` */
export async function revokeSession(ctx: Ctx, sessionId: string): Promise<Session> {
  const own = ownSessions(ctx);
  const id = parseId('ses', sessionId);
  const session = id === null ? null : await ctx.em.findOne(Session, { $and: [{ id }, own] });
  if (!session) throw new AppError('not_found', 'There is no such session.');
  await endSessions(ctx, { id: session.id }, 'session.ended', session.id);
  return session;
}

async function endSessions(
  ctx: Ctx,
  where: FilterQuery<Session>,
  action: AuditAction,
  subject: string | null,
): Promise<number> {
  return ctx.em.transactional(async em => {
    const count = await em.nativeDelete(Session, where);
    if (count === 0) return 0;
    const accountId = ctx.actor.kind === 'user' ? ctx.actor.account.id : null;
    await recordAudit(em, ctx, { accountId, action, subject, details: subject === null ? { count } : {} });
    await announceAccountChange(em);
    return count;
  });
}
