/** Keeps the people who want nothing more (contract §15), and the words of each account that say so. */
import { Migration } from '@mikro-orm/migrations';

/** Makes the list, and the column of the settings. */
export class Migration20261208000000 extends Migration {
  override up(): void {
    this.addSql('alter table accounts add opt_out_settings jsonb null');
    this.addSql(`create table suppressions (
      id uuid not null,
      account_id uuid not null,
      person text not null,
      origin text not null,
      reason text null,
      message_id uuid null,
      created_at timestamptz not null,
      primary key (account_id, person),
      constraint suppressions_origin_check check (origin in ('recipient', 'account')),
      constraint suppressions_account_id_foreign foreign key (account_id) references accounts (id)
    )`);
    this.addSql('create index suppressions_account_id_id_index on suppressions (account_id, id)');
  }

  override down(): void {
    this.addSql('drop table suppressions');
    this.addSql('alter table accounts drop opt_out_settings');
  }
}
