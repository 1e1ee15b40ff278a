/** Fallback in time (contract §14): how long an accepted channel has, on accounts and sends, and the sends that wait for it. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the columns and the table of the waits. */
export class Migration20261206000000 extends Migration {
  override up(): void {
    this.addSql(`alter table accounts
      add fallback_after int null,
      add success_status text not null default 'delivered',
      add constraint accounts_fallback_after_check check (fallback_after >= 15 and fallback_after <= 3600),
      add constraint accounts_success_status_check check (success_status in ('delivered', 'read'))`);
    for (const table of ['messages', 'otps'])
      this.addSql(`alter table ${table} add fallback_after int null, add success_status text null`);
    // Most of a row's life is one update: room for it spares the index.
    this.addSql(`create table follow_ups (
      send_id uuid not null,
      account_id uuid not null,
      kind text not null,
      attempt_id uuid not null,
      wanted text not null,
      due_at timestamptz not null,
      is_taken boolean not null default false,
      primary key (send_id),
      constraint follow_ups_kind_check check (kind in ('messages', 'otps')),
      constraint follow_ups_wanted_check check (wanted in ('delivered', 'read'))
    ) with (fillfactor = 50)`);
    this.addSql('create index follow_ups_kind_due_at_index on follow_ups (kind, due_at)');
  }

  override down(): void {
    this.addSql('drop table follow_ups');
    for (const table of ['messages', 'otps'])
      this.addSql(`alter table ${table} drop fallback_after, drop success_status`);
    this.addSql('alter table accounts drop fallback_after, drop success_status');
  }
}
