/** The statements of a conversation. */

import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';

/** The kinds of entries: a message that we sent or got, a passcode, a note. */
export type EntryKind = 'message_attempt' | 'otp_attempt' | 'inbound' | 'note';

/** Whether `a` is the first attempt of its send, by the column that names the send: each send is one entry. */
const isFirst = (column: string): string =>
  `not exists (select from attempts b where b.${column} = a.${column} and b.type = a.type and b.id < a.id)`;

/**
 * Reads a conversation, newest first: both directions over all channels and addresses, and the notes. The log has both under the address, by which it is
 * indexed. `position` is the place in the list.
 */
export const READ_CONVERSATION = statement('read conversation', {
  takes: { account: 'uuid', person: 'uuid?', addresses: 'text[]', before: 'uuid?', limit: 'int' },
  gives: { position: 'uuid', kind: typed<EntryKind>('text'), id: 'uuid' },
  sql: p => `
  select position, kind, id from (
    select s.position, s.kind, s.id from unnest(${p.addresses}) as v(address) cross join lateral (
      select a.id as position, a.type as kind, coalesce(a.message_id, a.pin_id) as id from attempts a
      where a.account_id = ${p.account} and a.recipient = v.address and (${p.before} is null or a.id < ${p.before})
        and (a.type = 'inbound' or (a.type = 'message_attempt' and ${isFirst('message_id')}) or (a.type = 'otp_attempt' and ${isFirst('pin_id')}))
      order by a.id desc limit ${p.limit}) s
    union all
    (select id, 'note', id from person_notes where person_id = ${p.person} and (${p.before} is null or id < ${p.before})
      order by id desc limit ${p.limit})) entries
  order by position desc limit ${p.limit}`,
});
