/** The names of connections, for attempts that went by them; removed ones too. */
import type { Ctx } from '../../context.ts';
import { Connection } from './connection.entity.ts';

/** A connection, as its attempts show it. */
export interface NamedConnection {
  readonly id: string;
  readonly name: string;
}

/** The connections with these ids, in their order; null: there is none. */
export async function nameConnections(ctx: Ctx, ids: readonly string[]): Promise<(NamedConnection | null)[]> {
  const rows = await ctx.em.find(Connection, { id: { $in: [...ids] } }, { fields: ['id', 'name'] });
  const byId = new Map(rows.map(({ id, name }) => [id, { id, name }]));
  return ids.map(id => byId.get(id) ?? null);
}
