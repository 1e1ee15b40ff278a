/** Loads what rows of a request ask for together. A list that a row holds is not loaded: a loader costs more than all of its fields. */
import DataLoader from 'dataloader';
import type { Ctx } from '../context.ts';

/** Loads by one query what the rows of a request ask for together. Nothing is kept: a subscription has one context for all of its events. */
export function loadTogether<Key, Value>(
  load: (ctx: Ctx, keys: readonly Key[]) => Promise<Value[]>,
): (ctx: Ctx, key: Key) => Promise<Value> {
  const loaders = new WeakMap<Ctx, DataLoader<Key, Value>>();
  const loadAll = (ctx: Ctx, keys: readonly Key[]): Promise<Value[]> => {
    // Else it would keep the request until the old generation is collected.
    loaders.delete(ctx);
    return load(ctx, keys);
  };
  return (ctx, key) => {
    const loader = loaders.get(ctx) ?? new DataLoader(keys => loadAll(ctx, keys), { cache: false });
    loaders.set(ctx, loader);
    return loader.load(key);
  };
}

/** Resolves a list: what the row holds, at once; else it is loaded, by one query for all rows of a request that hold none. */
export function heldOrLoaded<Row extends { readonly id: string }, Item>(
  heldBy: (row: Row) => Item[] | undefined,
  load: (ctx: Ctx, ids: readonly string[]) => Promise<Item[][]>,
): (row: Row, args: object, ctx: Ctx) => Item[] | Promise<Item[]> {
  const loadOne = loadTogether(load);
  return (row, _args, ctx) => heldBy(row) ?? loadOne(ctx, row.id);
}
