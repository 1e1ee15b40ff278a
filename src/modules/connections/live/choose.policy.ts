/** The choice of connections for an attempt, and their order (contract §12). Pure. */
import { createHash } from 'node:crypto';
import type { Verdict, Wanted } from '../../../channels/providers.ts';
import type { Channel, Purpose } from '../../../kernel/channel.ts';

/** A connection, as far as the choice looks at it. */
export interface Choosable {
  readonly id: string;
  /** Null: shared by all. */
  readonly accountId: string | null;
  readonly channel: Channel;
  /** Its own number, where it sends by none else; absent: it has none, or its provider did not tell it yet. */
  readonly number?: string | undefined;
  readonly isPaused: boolean;
  /** Whether its config can be read here, and its provider is known. An unusable one is never asked, and no shared one stands in for it. */
  readonly isUsable: boolean;
  /** The lowest goes first. */
  readonly priority: number;
  /** Its share of the recipients among connections with the same priority. */
  readonly weight: number;
  /** ISO 3166-1 alpha-2; null: all. */
  readonly countries: readonly string[] | null;
  readonly purposes: readonly Purpose[] | null;
}

/** Why a connection is not as it should be. */
export interface Ailment {
  readonly verdict: 'sick' | 'trial' | 'down';
  /** Why it is sick, a sentence; absent: it is down. */
  readonly reason?: string;
}

/** Connections by their account; those of null are shared by all. */
export type ByAccount<Of> = ReadonlyMap<string | null, readonly Of[]>;

/**
 * The connections that fit, in the order in which they are tried. They are the account's own, or the shared ones where it has none of any
 * channel. The one whose own number the send names is first; the others follow by priority, equals by weight. A recipient keeps its order while
 * nothing changes. A change of one connection moves only recipients of that one (rendezvous hashing with weights: Schindelhauer and Schomaker
 * 2005).
 * @returns null: the account has none of any channel, and none is shared
 */
export function chooseConnections<Of extends Choosable>(all: ByAccount<Of>, wanted: Wanted): Of[] | null {
  const mine = connectionsFor(all, wanted.accountId);
  if (mine.length === 0) return null;
  const fitting = mine.filter(connection => misfit(connection, wanted) === null);
  if (fitting.length < 2) return fitting;
  const scores = new Map(fitting.map(connection => [connection, scoreOf(connection, wanted.recipient)]));
  // Another number of the account follows where the one that was asked for cannot.
  const isOther = ({ number }: Of): number => (number !== undefined && number === wanted.sender ? 0 : 1);
  return fitting.sort(
    (a, b) => isOther(a) - isOther(b) || a.priority - b.priority || (scores.get(b) ?? 0) - (scores.get(a) ?? 0),
  );
}

/** How far behind a connection comes that is not well: 0 for those that keep their place. */
const BEHIND: Readonly<Partial<Record<Verdict, number>>> = { sick: 1, down: 2 };

/** The place of a connection with this ailment among those that fit: 0 is not behind. */
export function behind(ailment: Ailment | null): number {
  return ailment === null ? 0 : (BEHIND[ailment.verdict] ?? 0);
}

/**
 * Those that are well or on trial, then the sick ones, which may deliver, then those that are down, which cannot send at all. Among their like they keep
 * the order of priority, also where none is well.
 */
export function wellFirst<Of>(chosen: readonly Of[], ailmentOf: (connection: Of) => Ailment | null): readonly Of[] {
  // Mostly all are well, and nothing is made.
  if (chosen.length < 2 || chosen.every(connection => behind(ailmentOf(connection)) === 0)) return chosen;
  const byPlace = Map.groupBy(chosen, connection => behind(ailmentOf(connection)));
  return [0, 1, 2].flatMap(place => byPlace.get(place) ?? []);
}

/** The connections of an account; the shared ones where it has none of any channel. */
export function connectionsFor<Of extends Choosable>(all: ByAccount<Of>, accountId: string): readonly Of[] {
  return all.get(accountId) ?? all.get(null) ?? [];
}

/** Why a connection is not asked; null: it is. */
export function misfit(
  { channel, isPaused, isUsable, countries, purposes, number }: Choosable,
  wanted: Wanted,
): 'channel' | 'unusable' | 'paused' | 'purpose' | 'number' | 'country' | null {
  if (channel !== wanted.channel) return 'channel';
  if (!isUsable) return 'unusable';
  if (isPaused) return 'paused';
  if (purposes !== null && !purposes.includes(wanted.purpose)) return 'purpose';
  if (wanted.isOfNumber && number !== undefined && number !== wanted.sender) return 'number';
  if (countries === null) return null;
  const country = wanted.country();
  return country !== null && countries.includes(country) ? null : 'country';
}

/** The higher, the earlier: each connection draws a number for the recipient, whose chance to be the highest is its part of the weights. */
function scoreOf({ id, weight }: Choosable, recipient: string): number {
  const draw = createHash('sha256').update(`${id} ${recipient}`).digest().readUIntBE(0, 6) / 2 ** 48;
  return -weight / Math.log(draw === 0 ? Number.MIN_VALUE : draw);
}
