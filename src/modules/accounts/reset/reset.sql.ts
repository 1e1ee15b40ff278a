/** The statements on links by which people set a new password. */
import { statement } from '../../../db/statements/statement.ts';

/** Keeps the link of a person who has a password, in the place of one of before; no row: nobody has one by this address. */
export const START_RESET = statement('start reset', {
  takes: { email: 'text', hash: 'text' },
  gives: { id: 'uuid', account_id: 'uuid' },
  sql: p => `update dashboard_users set reset_hash = ${p.hash}, reset_expires_at = clock_timestamp() + interval '30 minutes'
    where email = ${p.email} and password_hash is not null returning id, account_id`,
});

/** Whose link it is, while it holds. */
export const FIND_RESET = statement('find reset', {
  takes: { hash: 'text' },
  gives: { id: 'uuid', account_id: 'uuid', email: 'text' },
  sql: p => `select id, account_id, email from dashboard_users
    where reset_hash = ${p.hash} and reset_expires_at > clock_timestamp()`,
});

/** Uses a link up for a new password; no row: it is over, or was used. */
export const USE_RESET = statement('use reset', {
  takes: { hash: 'text', passwordHash: 'text' },
  gives: { id: 'uuid', account_id: 'uuid', email: 'text' },
  sql: p => `update dashboard_users set password_hash = ${p.passwordHash}, password_changed_at = clock_timestamp(),
      reset_hash = null, reset_expires_at = null
    where reset_hash = ${p.hash} and reset_expires_at > clock_timestamp() returning id, account_id, email`,
});
