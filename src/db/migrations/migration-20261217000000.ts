/** Lets what is held of a recipient be erased: the key of erased names, and the way past the guards of what is append-only. */
import { Migration } from '@mikro-orm/migrations';

/** An erasure blanks words, within its own transaction; sums, ids and times stay. */
const GUARD = `create or replace function refuse_rewriting() returns trigger language plpgsql as $$
  begin
    if tg_op = 'UPDATE' and current_setting('heliograph.erases', true) = 'on' then return null; end if;
    raise exception '% is append-only', tg_table_name;
  end $$`;

const FORMER_GUARD = `create or replace function refuse_rewriting() returns trigger language plpgsql as $$
      begin
        raise exception '% is append-only', tg_table_name;
      end $$`;

/** Makes the table, and finds events about consent by their person. */
export class Migration20261217000000 extends Migration {
  override up(): void {
    this.addSql(`create table erasure_key (
      id int not null primary key,
      key_id varchar(8) not null,
      sealed text not null,
      constraint erasure_key_single_check check (id = 1)
    )`);
    this.addSql(GUARD);
    this.addSql(`update webhook_events set send_id = md5(account_id::text || ' ' || (data::json->>'to'))::uuid
      where event in ('recipient.suppressed', 'recipient.unsuppressed') and send_id is null`);
  }

  override down(): void {
    this.addSql(FORMER_GUARD);
    this.addSql('drop table erasure_key');
  }
}
