/** The names of connections, for attempts that went by them; removed ones too. */
import type { Database, Em } from '../../db/orm.ts';
import { Connection } from './connection.entity.ts';

/** A connection, as its attempts show it. */
export interface NamedConnection {
  readonly id: string;
  readonly name: string;
}

/** The connections with these ids, in their order; null: there is none. */
export async function nameConnections(
  { em }: { readonly em: Em },
  ids: readonly string[],
): Promise<(NamedConnection | null)[]> {
  const rows = await em.find(Connection, { id: { $in: [...ids] } }, { fields: ['id', 'name'] });
  const byId = new Map(rows.map(({ id, name }) => [id, { id, name }]));
  return ids.map(id => byId.get(id) ?? null);
}

/** An attempt, as far as its connection is looked up. */
export interface Attempted {
  readonly connectionId?: string | null | undefined;
}

const told = new WeakMap<Attempted, () => Promise<ReadonlyMap<string, NamedConnection | null>>>();

/** Lets all who are told of these attempts share one query for the names of their connections, made when the first of them asks. */
export function shareNames(database: Database, attempts: readonly Attempted[]): void {
  const ids = [...new Set(attempts.flatMap(({ connectionId }) => connectionId ?? []))];
  let names: Promise<ReadonlyMap<string, NamedConnection | null>> | null = null;
  const load = async () => {
    const found = await nameConnections({ em: database.fork() }, ids);
    return new Map(found.map((connection, index) => [ids[index] ?? '', connection]));
  };
  for (const attempt of attempts)
    told.set(attempt, () => {
      names ??= load();
      return names;
    });
}

/** The connection of an attempt whose name is shared; null: it is not. */
export function sharedNameOf(attempt: Attempted): Promise<NamedConnection | null> | null {
  const names = told.get(attempt)?.();
  return names?.then(found => found.get(attempt.connectionId ?? '') ?? null) ?? null;
}
