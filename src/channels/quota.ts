/** The limits of a number at its provider. */

/** The limits that a provider sets to a number, by its own word. */
export interface Quota {
  /** The number itself, in digits; null: the provider does not say. */
  readonly number: string | null;
  /** The provider's id of the business whose numbers use the reach together; null: the provider does not say. */
  readonly business: string | null;
  /** How people take its messages: `green`, `yellow` or `red`; null: the provider does not say. */
  readonly quality: 'green' | 'yellow' | 'red' | null;
  /** How many people a business may write to first within 24 hours; null: there is no limit, or it is not told. */
  readonly reach: number | null;
}
