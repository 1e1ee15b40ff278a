/** Lists that a row may hold already: who made the row has them, and a loader would cost more than all of its fields. */
import DataLoader from 'dataloader';
import type { Ctx } from '../context.ts';

/** Resolves a list: what the row holds, at once; else it is loaded, by one query for all rows of a request that hold none. */
export function heldOrLoaded<Row extends { readonly id: string }, Item>(
  heldBy: (row: Row) => Item[] | undefined,
  load: (ctx: Ctx, ids: readonly string[]) => Promise<Item[][]>,
): (row: Row, args: object, ctx: Ctx) => Item[] | Promise<Item[]> {
  const loaders = new WeakMap<Ctx, DataLoader<string, Item[]>>();
  return (row, _args, ctx) => {
    const held = heldBy(row);
    if (held) return held;
    let loader = loaders.get(ctx);
    if (!loader) {
      // A subscription has one context for all of its events.
      loader = new DataLoader(ids => load(ctx, ids), { cache: false });
      loaders.set(ctx, loader);
    }
    return loader.load(row.id);
  };
}
