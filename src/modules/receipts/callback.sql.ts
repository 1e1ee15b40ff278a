/** The statement of callbacks. */
import { statement } from '../../db/statements/statement.ts';

/** The connections by which attempts went. */
export const FIND_SENDERS = statement('find senders of attempts', {
  takes: { attempts: 'uuid[]' },
  gives: { id: 'uuid', connection_id: 'uuid' },
  sql: p => `
  select id, connection_id from attempts where id = any(${p.attempts}) and connection_id is not null`,
});
