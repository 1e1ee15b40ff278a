/** Whether a provider took an attempt, as SQL: then it gave it an id, whatever was reported later. */
export const ACCEPTED = (row: string): string =>
  `(${row}.status in ('sent', 'delivered', 'read') or ${row}.provider_message_id is not null)`;
