/** The choice of a provider for an attempt, as routing sees it. The connections decide it (contract §12). */
import type { Channel, Purpose } from '../kernel/channel.ts';
import type { Provider } from './contract.ts';

/** A message to be sent, as far as the choice looks at it. */
export interface Wanted {
  readonly accountId: string;
  readonly channel: Channel;
  readonly purpose: Purpose;
  /** Digits only. */
  readonly recipient: string;
  /** The sender that the send names: the connection of this number goes first. Absent: it names none. */
  readonly sender?: string;
  /** Whether no other number may send it: free text of a chat goes within the hours of that chat. Absent: another one may. */
  readonly isOfNumber?: boolean;
  /** The recipient's country, ISO 3166-1 alpha-2; null: not known. A function, since parsing a number costs more than all else here. */
  country(): string | null;
}

/** A provider that an attempt may take. */
export interface Choice {
  /** Null: the sandbox, which is no connection. */
  readonly connectionId: string | null;
  readonly provider: Provider;
}

/**
 * Why a connection is asked, or is not. `first`: it is asked first. `follows`: it is asked where those before it could not send. `sick`: it comes behind
 * those that are well. `trial`: it is sick, but keeps its place for this recipient, to be tried again. `down`: it comes last. `paused`: it is not asked.
 * `unusable`: its config cannot be read. `known_only`: its number writes only to people whom it knows, and the recipient is new to it. `country`: it is
 * not for the recipient's country. `purpose`: it is not for this purpose. `number`: the text belongs to a chat of another number.
 */
export const VERDICTS = [
  'first',
  'follows',
  'sick',
  'trial',
  'down',
  'known_only',
  'paused',
  'unusable',
  'country',
  'purpose',
  'number',
] as const;

/** One of them. */
export type Verdict = (typeof VERDICTS)[number];

/** A connection of the channel, and why it is asked or not. */
export interface Considered {
  readonly connectionId: string;
  readonly name: string;
  /** The id of its provider. */
  readonly provider: string;
  /** The recipients' countries, ISO 3166-1 alpha-2; null: all. */
  readonly countries: readonly string[] | null;
  readonly verdict: Verdict;
  /** Why it is sick, or writes to nobody new, a sentence; null: neither. */
  readonly reason: string | null;
}

/** A connection that was not asked, though it would have come first, and why. */
export interface PassedOver {
  readonly connectionId: string;
  readonly verdict: Verdict;
  /** Why it is sick, a sentence; absent: it is not. */
  readonly reason?: string;
}

/** The sender of a message: connections of the account, shared ones, the sandbox, or nobody (`no_route`). */
export const SENT_BY = ['account', 'shared', 'sandbox', 'nobody'] as const;

/** A choice, explained. */
export interface ChoiceReason {
  readonly sentBy: (typeof SENT_BY)[number];
  /** Those of the channel, in the order in which they are tried, then those that are not asked. */
  readonly considered: readonly Considered[];
}

/** The providers of a process. */
export interface Providers {
  /** Those that fit, in the order in which they are tried. Empty: the channel fails (`no_route`). */
  choose(wanted: Wanted): readonly Choice[];
  /**
   * The connections that would have come before `firstId`, the first that `choose` answered, and that one where it is down or sick. All connections
   * of the channel where `firstId` is null. Null: there are none, which is the usual case.
   */
  passedOver(wanted: Wanted, firstId: string | null): PassedOver[] | null;
  /** Why `choose` answers what it does. */
  explain(wanted: Wanted): ChoiceReason;
  /** The provider of an attempt that was begun; null: its connection is unknown here. */
  of(connectionId: string | null): Provider | null;
  /** The same for whoever tries a connection by hand: it is asked though it is down. */
  forTest(connectionId: string): Provider | null;
  /** In how many milliseconds this process tries a connection again that is down; null: it is not, is being tried, or is unknown here. */
  retryInMs(connectionId: string): number | null;
  /** Takes in what was changed just now, which this process hears of within a second otherwise. Never fails. */
  refresh(): Promise<void>;
}
