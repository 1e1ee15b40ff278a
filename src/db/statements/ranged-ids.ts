/** Ids of rows of a partitioned table, with their range: the table is looked into where they can be only. */

/** Such ids, as the parameters of a statement. */
export const RANGED_IDS = { ids: 'uuid[]', lowestId: 'uuid?', highestId: 'uuid?' } as const;

/** The values of these parameters. */
export interface RangedIds {
  readonly ids: readonly string[];
  readonly lowestId: string | null;
  readonly highestId: string | null;
}

/** Makes them of uuids: each once, in order. */
export function rangedIds(uuids: readonly string[]): RangedIds {
  const ids = [...new Set(uuids)].sort();
  return { ids, lowestId: ids[0] ?? null, highestId: ids.at(-1) ?? null };
}
