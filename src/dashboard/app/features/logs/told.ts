/** Entries that are told while a list is open: which are shown, which wait, and whether the newest page is due. Pure. */

/** As much of an entry as the order of a list needs. */
export interface Entry {
  readonly id: string;
  readonly createdAt: string;
}

/** Entries by their id. */
export type Entries<Row> = ReadonlyMap<string, Row>;

/** Told entries are kept up to this number before the newest page is asked for in their place: the page may be open all day. */
const TOLD_MAX = 1_000;

/** The told entries of a list. */
export interface Told<Row> {
  readonly shown: Entries<Row>;
  /** Told while the list was held. */
  readonly held: Entries<Row>;
  /** How many were not told, as they came too fast. */
  readonly leftOut: number;
  /** Whether the newest page is to be asked for, once nothing is held. */
  readonly isStale: boolean;
}

/** A list of which nothing is told. */
export const NOTHING_TOLD: Told<never> = {
  shown: new Map<string, never>(),
  held: new Map<string, never>(),
  leftOut: 0,
  isStale: false,
};

/** Events of a list, each with a word. */
export type ToldChange<Row> =
  /** Another filter: nothing is told of it yet. */
  | { readonly kind: 'begun' }
  /** Entries were told, of which an id may be there already; `isHeld`: nothing may move. */
  | { readonly kind: 'told'; readonly rows: readonly Row[]; readonly isHeld: boolean }
  | { readonly kind: 'leftOut'; readonly count: number }
  /** Nothing is held any more. */
  | { readonly kind: 'released' }
  /** The line broke, or somebody asks: what was missed stands on the newest page. */
  | { readonly kind: 'missed'; readonly isAsked: boolean }
  | { readonly kind: 'asked' }
  /** The newest page came; `before` was shown when it was asked for. */
  | { readonly kind: 'renewed'; readonly before: Entries<Row> };

/** The list after a change; the same one where nothing is another. */
export function changeTold<Row extends Entry>(told: Told<Row>, change: ToldChange<Row>): Told<Row> {
  switch (change.kind) {
    case 'begun':
      return { ...NOTHING_TOLD, isStale: told.isStale };
    case 'told': {
      const rows = change.rows.map(row => [row.id, row] as const);
      if (!change.isHeld) return { ...told, shown: new Map([...told.shown, ...rows]) };
      return { ...told, held: new Map([...told.held, ...rows].slice(-2 * TOLD_MAX)) };
    }
    case 'leftOut':
      return change.count === 0 ? told : { ...told, leftOut: told.leftOut + change.count };
    case 'released':
      if (told.held.size === 0) return told;
      return { ...told, shown: new Map([...told.shown, ...told.held]), held: new Map() };
    case 'missed':
      return { ...told, isStale: true, leftOut: change.isAsked ? 0 : told.leftOut };
    case 'asked':
      return { ...told, isStale: false };
    case 'renewed':
      return { ...told, shown: new Map([...told.shown].filter(([id, row]) => change.before.get(id) !== row)) };
  }
}

/** How often the shown entries have filled up: at each step the newest page is asked for, again where it did not come. */
export function fullnessOf({ shown }: Pick<Told<Entry>, 'shown'>): number {
  return Math.floor(shown.size / TOLD_MAX);
}

/** Entries once each, newest first: as they were told last, if they were. */
export function mergeRows<Row extends Entry>(pages: readonly (readonly Row[])[], shown: Entries<Row>): Row[] {
  const rows = pages.flatMap(page => page.map(row => shown.get(row.id) ?? row));
  const known = new Set(rows.map(({ id }) => id));
  const added = [...shown.values()].filter(({ id }) => !known.has(id));
  if (added.length === 0) return rows;
  return [...added, ...rows].sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
}
