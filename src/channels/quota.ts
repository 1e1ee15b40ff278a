/** The limits of a number at its provider. */

/** The limits that a provider sets to a number, by its own word. */
export interface Quota {
  /** The number itself, in digits; null: the provider does not say. */
  readonly number: string | null;
  /** The provider's ids of those whose numbers use the reach together, the account first: numbers that have one of them in common. Empty: not known. */
  readonly businesses: readonly string[];
  /** How people take its messages: `green`, `yellow` or `red`; null: the provider does not say. */
  readonly quality: 'green' | 'yellow' | 'red' | null;
  /** How many people a business may write to first within 24 hours; null: there is no limit, or it is not told. */
  readonly reach: number | null;
}
