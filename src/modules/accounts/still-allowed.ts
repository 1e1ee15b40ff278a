/** Ends a subscription when its token is revoked, its session is over or its plan expires. */
import type { Ctx } from '../../context.ts';
import { AppError } from '../../kernel/errors.ts';
import { reloadToken } from './load-account.ts';
import { reloadSession } from './sign-in/load-session.ts';

/** How often the token is checked again: as often as the token cache of requests. */
const AGE_MS_MAX = 1_000;

/** The same rows while `require`, given the present token, does not throw. @throws AppError `unauthenticated`, or as `require` */
export function whileAllowed<Row>(
  ctx: Ctx,
  rows: AsyncIterableIterator<Row, undefined>,
  require: (ctx: Ctx) => void,
): AsyncIterableIterator<Row, undefined> {
  let checkedAtMs = ctx.clock.now().getTime();
  return {
    async next() {
      const result = await rows.next();
      if (result.done || ctx.clock.now().getTime() - checkedAtMs < AGE_MS_MAX) return result;
      try {
        await requireAllowed(ctx, require);
      } catch (error) {
        await rows.return?.();
        throw error;
      }
      checkedAtMs = ctx.clock.now().getTime();
      return result;
    },
    async return() {
      await rows.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function requireAllowed(ctx: Ctx, require: (ctx: Ctx) => void): Promise<void> {
  const { actor } = ctx;
  if (actor.kind === 'user' || (actor.kind === 'operator' && actor.sessionId !== undefined)) {
    const present = await reloadSession(ctx.services.database, { ...actor, sessionId: actor.sessionId ?? '' });
    // What a subscription shows depends on the role that it began with.
    if (!present || (actor.kind === 'user' && present.kind === 'user' && present.role !== actor.role))
      throw new AppError('unauthenticated', 'The session is over, or the role has changed. Sign in again.');
    require({ ...ctx, actor: present });
  }
  if (actor.kind !== 'token') return;
  const grant = await reloadToken(ctx.services.database.sql(), actor.tokenId);
  if (!grant) throw new AppError('unauthenticated', 'The token is not valid any more.');
  require({ ...ctx, actor: { kind: 'token', ...grant } });
}
