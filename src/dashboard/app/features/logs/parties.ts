/** The two ends of a row: the log calls the person `recipient`, also of a text that they wrote. Pure. */

/** As much of a row as its ends need. */
export interface Ends {
  /** The person's number or id. */
  readonly recipient: string;
  /** The account's; null: not known. */
  readonly sender: string | null;
}

/** The columns "To" and "From" of a row. */
export function partiesOf(
  { recipient, sender }: Ends,
  isIncoming: boolean,
): { to: string | null; from: string | null } {
  return isIncoming ? { to: sender, from: recipient } : { to: recipient, from: sender };
}
