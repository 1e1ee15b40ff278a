/** Ends a subscription whose token was revoked, or whose plan is over: what lasts is asked again who it is. */
import type { Ctx } from '../../context.ts';
import { AppError } from '../../kernel/errors.ts';
import { reloadToken } from './load-account.ts';

/** How old what is known of a token may be when a row is handed over: as old as at any request. */
const AGE_MS_MAX = 1_000;

/**
 * The same rows, as long as the caller may see them. `require` is asked with the token as it is then, and throws where it may not.
 * @throws AppError `unauthenticated`, and as `require`, from the iterator, in place of a row.
 */
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
  if (ctx.actor.kind !== 'token') return;
  const grant = await reloadToken(ctx.services.database.sql(), ctx.actor.tokenId);
  if (!grant) throw new AppError('unauthenticated', 'The token is not valid any more.');
  require({ ...ctx, actor: { kind: 'token', ...grant } });
}
