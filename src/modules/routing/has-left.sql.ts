/** SQL conditions: whether a provider took an attempt, or may have. */

/** Whether a provider took an attempt, as SQL: then it gave it an id, whatever was reported later. */
export const ACCEPTED = (row: string): string =>
  `(${row}.status in ('sent', 'delivered', 'read') or ${row}.provider_message_id is not null)`;

/** Whether an attempt has left the gateway, as SQL: the provider took it, or may have. */
export const HAS_LEFT = (row: string): string => `(${ACCEPTED(row)} or ${row}.status = 'unknown')`;
