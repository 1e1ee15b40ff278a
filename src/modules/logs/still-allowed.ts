/** Ends a subscription whose token was revoked, or whose plan is over: what lasts is asked again who it is. */
import type { Ctx } from '../../context.ts';
import { AppError } from '../../kernel/errors.ts';
import { reloadToken } from '../accounts/load-account.ts';
import { readScope } from '../routing/read-scope.ts';

/** How old what is known of a token may be when an entry is handed over: as old as at any request. */
const AGE_MS_MAX = 1_000;

/**
 * The same entries, as long as the caller may see them.
 * @throws AppError `unauthenticated`, `unified_api_disabled`, `plan_expired` from the iterator, in place of an entry.
 */
export function whileAllowed<Entry>(
  ctx: Ctx,
  entries: AsyncIterableIterator<Entry, undefined>,
): AsyncIterableIterator<Entry, undefined> {
  let checkedAtMs = ctx.clock.now().getTime();
  return {
    async next() {
      const result = await entries.next();
      if (result.done || ctx.clock.now().getTime() - checkedAtMs < AGE_MS_MAX) return result;
      try {
        await requireAllowed(ctx);
      } catch (error) {
        await entries.return?.();
        throw error;
      }
      checkedAtMs = ctx.clock.now().getTime();
      return result;
    },
    async return() {
      await entries.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function requireAllowed(ctx: Ctx): Promise<void> {
  if (ctx.actor.kind !== 'token') return;
  const grant = await reloadToken(ctx.services.database.sql(), ctx.actor.tokenId);
  if (!grant) throw new AppError('unauthenticated', 'The token is not valid any more.');
  readScope({ ...ctx, actor: { kind: 'token', ...grant } });
}
