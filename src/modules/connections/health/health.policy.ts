/** The judgement on connections by their newest attempts: each is sick or well (contract §12). Pure. */
import { createHash } from 'node:crypto';

/** The country of a row that counts all countries. */
export const ALL_COUNTRIES = '*';

/** Fewer attempts than these prove nothing. */
export const ENOUGH = 20;

/** A rate is far below another one under this part of it. */
const FAR_PART = 0.5;

/** A sick connection is well again from this part on. Between both a connection stays as it is, and does not change with each count. */
const WELL_PART = 0.75;

/** How sure a rate is, in standard deviations: 97.7 % on each side. */
const SURE = 2;

/** One recipient of so many tries a sick connection. */
const TRIED_OF = 20;

/** How many of some attempts went well. */
export interface Share {
  readonly good: number;
  readonly of: number;
}

/** The two rates of a connection. */
export interface Rates {
  /** Those that the provider took, of all that it was asked for and could have taken. */
  readonly taken: Share;
  /** Those that were reported as delivered in time, of what was taken long enough ago. */
  readonly delivered: Share;
}

/** The rates of a connection for one country, or for all of them (`*`). */
export interface Counted {
  readonly connectionId: string;
  readonly country: string;
  /** The attempts of the last ten minutes, and the newest 20 at least. */
  readonly recent: Rates;
  /** Those of the last 24 hours. */
  readonly usual: Rates;
  /** Whether it was sick at the count before. */
  readonly wasSick: boolean;
}

const RATES = ['taken', 'delivered'] as const;

/** The bounds of a rate, by its number of attempts: the score interval of Wilson (1927). */
function boundsOf({ good, of }: Share): { readonly low: number; readonly high: number } {
  const part = good / of;
  const square = SURE ** 2;
  const middle = part + square / (2 * of);
  const way = SURE * Math.sqrt((part * (1 - part)) / of + square / (4 * of ** 2));
  return { low: (middle - way) / (1 + square / of), high: (middle + way) / (1 + square / of) };
}

/** The best usual rate that `recent` is surely far below; null: all is well. A sick connection has to come near that rate to be well again. */
export function farBelow(recent: Share, usual: readonly Share[], wasSick = false): Share | null {
  if (recent.of < ENOUGH) return null;
  const known = usual.filter(({ of }) => of >= ENOUGH).sort((a, b) => boundsOf(b).low - boundsOf(a).low);
  const [best] = known;
  if (!best) return null;
  const { low } = boundsOf(best);
  const isFar = boundsOf(recent).high < FAR_PART * low || (wasSick && recent.good / recent.of < WELL_PART * low);
  return isFar ? best : null;
}

/**
 * Why a connection is sick, a sentence without counts: accounts that share a connection are not told how much the others send. Null: it is well.
 * @param peers the rates of other connections of its account and channel for the same country
 */
export function sicknessOf({ country, recent, usual, wasSick }: Counted, peers: readonly Counted[]): string | null {
  for (const rate of RATES) {
    const best = farBelow(recent[rate], [usual[rate], ...peers.map(peer => peer.recent[rate])], wasSick);
    if (!best) continue;
    const what = country === ALL_COUNTRIES ? 'its newest texts' : `its newest texts to ${country}`;
    const now = percent(recent[rate]);
    return rate === 'taken'
      ? `The provider took ${now} of ${what}; ${percent(best)} are usual.`
      : `${now} of ${what} were delivered in time; ${percent(best)} are usual.`;
  }
  return null;
}

/**
 * Why each of some rows is sick. The rate over all countries is compared with that of the connection itself alone: others may serve other countries.
 * @param groupOf connections of one group can take each other's place
 */
export function judge<Of extends Counted>(
  rows: readonly Of[],
  groupOf: (connectionId: string) => string,
): (Of & { readonly reason: string | null })[] {
  const byCountry = Map.groupBy(rows, ({ country }) => country);
  return rows.map(row => {
    const others = row.country === ALL_COUNTRIES ? [] : (byCountry.get(row.country) ?? []);
    const group = groupOf(row.connectionId);
    const peers = others.filter(other => other !== row && groupOf(other.connectionId) === group);
    return { ...row, reason: sicknessOf(row, peers) };
  });
}

/**
 * Whether a recipient is one of the few that try a sick connection. Each round draws others, so that nobody who asks again meets it again and again.
 * @param round the same in all processes
 */
export function triesSick(connectionId: string, recipient: string, round: string): boolean {
  const draw = createHash('sha256').update(`${connectionId} ${recipient} ${round}`).digest().readUIntBE(0, 6) / 2 ** 48;
  return draw < 1 / TRIED_OF;
}

function percent({ good, of }: Share): string {
  return `${Math.round((100 * good) / of)} %`;
}
