/** Queries take turns, so that who reads much holds up nobody's sends. */
import type { Ctx } from '../../context.ts';
import { Lane, Sends } from '../../kernel/process/gives-way.ts';

/** The sends of a process, and the turns of its queries. */
export function createTurns(): { readonly sends: Sends; readonly queries: Lane } {
  const sends = new Sends();
  const bounds = { alone: Number.POSITIVE_INFINITY, besideSends: 1, toOwnSends: true, share: 1 / 10, waitingMax: 100 };
  return { sends, queries: new Lane(sends, bounds) };
}

/**
 * Runs a query when it is the turn of its account. While it waits it has no place among the requests in work. Strangers take no turns: one of
 * them would keep all others from signing in, and what is open to them is cheap.
 * @throws AppError `rate_limited` where too many of the account wait, and what `query` throws
 */
export async function queryInTurn<Result>(ctx: Ctx, query: () => Promise<Result> | Result): Promise<Result> {
  const { actor, request, services } = ctx;
  if (actor.kind === 'anonymous') return query();
  const accountId = 'account' in actor ? (actor.account?.id ?? null) : null;
  return services.queries.run({ name: accountId ?? actor.kind, accountId }, query, request.stepAside);
}
