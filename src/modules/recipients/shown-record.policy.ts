/** Rows as they are shown to those who export them: with the names and the ids that the API has. Pure. */
import { fromUuid, type IdPrefix, isUuid } from '../../kernel/ids.ts';

/** The prefix of the own id of a row, by its table. */
const OWN_IDS: Readonly<Record<string, IdPrefix>> = {
  messages: 'msg',
  otps: 'pin',
  attempts: 'att',
  inbound_messages: 'msg',
  webhook_events: 'evt',
  webhook_deliveries: 'dlv',
  webhook_tries: 'try',
  sandbox_messages: 'sbx',
  person_notes: 'not',
  people: 'prs',
  suppressions: 'sup',
  ledger: 'led',
  audit_entries: 'aud',
};

/** The prefixes of other ids, by their columns. */
const IDS: Readonly<Record<string, IdPrefix>> = {
  account_id: 'acc',
  attempt_id: 'att',
  connection_id: 'con',
  delivery_id: 'dlv',
  endpoint_id: 'whk',
  event_id: 'evt',
  last_message_id: 'msg',
  learned_from: 'msg',
  message_id: 'msg',
  person_id: 'prs',
  pin_id: 'pin',
  read_until: 'msg',
  reply_to: 'msg',
  token_id: 'tok',
  user_id: 'usr',
};

/** A name as the API writes it: `error_code` is `errorCode`. */
export const shownName = (name: string): string => name.replaceAll(/_([a-z])/g, (_all, letter) => letter.toUpperCase());

/** A row as the API would show it. */
export function shownRow(table: string, row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      const prefix = column === 'id' ? OWN_IDS[table] : IDS[column];
      const isId = prefix !== undefined && typeof value === 'string' && isUuid(value);
      return [shownName(column), isId ? fromUuid(prefix, value) : value];
    }),
  );
}
