/** Has one connection alone hold a linked number, and a removed one no keys. */
import { Migration } from '@mikro-orm/migrations';

const UNLINKED = `state = 'unlinked', state_since = now(), is_open = false, creds = null, creds_key_id = null, owner = null, lease_until = null,
  linked_at = null`;

/** Ends the sessions of removed connections, and all but the first of each number. A process with such a socket tells its phone. */
export class Migration20261224000000 extends Migration {
  override up(): void {
    // Renewals of leases wait before they hold a row. Turns under way end first, as they hold one already.
    this.addSql('lock table chat_sessions in exclusive mode');
    this.addSql(`update chat_sessions set ${UNLINKED}, error = null
      where state <> 'unlinked' and connection_id in (select id from connections where removed_at is not null)`);
    this.addSql(`update chat_sessions set ${UNLINKED},
        error = 'Another connection has linked this number before, and keeps it. Remove the second device on the phone.'
      where connection_id in (
        select connection_id from (
          select connection_id, row_number() over (partition by number order by linked_at, connection_id) as place
          from chat_sessions where state = 'linked'
        ) linked where place > 1)`);
    this.addSql(`delete from chat_session_keys where connection_id in (
      select connection_id from chat_sessions where state = 'unlinked' and owner is null)`);
    this.addSql(
      `create unique index chat_sessions_linked_number_unique on chat_sessions (number) where state = 'linked'`,
    );
  }

  override down(): void {
    this.addSql('drop index chat_sessions_linked_number_unique');
  }
}
