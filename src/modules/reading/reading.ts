/** Leads reads that decide nothing to the replica, if there is one that is well. */
import type { Ctx } from '../../context.ts';

/**
 * Runs reads of lists and figures, with a context that leads to the replica. Their rows may be some seconds old, and they may run twice.
 * Decisions (routes, balances, codes, tokens, suppressions) must not use it. @throws errors of `read`
 */
export function reading<Result>(ctx: Ctx, read: (ctx: Ctx) => Promise<Result>): Promise<Result> {
  const { services } = ctx;
  const { database } = services;
  if (!database.replica) return read(ctx);
  return database.replica.read(ctx.signal, source =>
    read(ctx.with({ services: { ...services, database: { ...database, ...source } } })),
  );
}
