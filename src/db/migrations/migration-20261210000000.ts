/** Keeps the auto-replies of accounts (contract §15), and which person had one by which keyword. */
import { Migration } from '@mikro-orm/migrations';

/** Makes the two tables. */
export class Migration20261210000000 extends Migration {
  override up(): void {
    this.addSql(`create table auto_replies (
      account_id uuid not null,
      keyword text not null,
      text text not null,
      cloud_template jsonb null,
      updated_at timestamptz not null,
      primary key (account_id, keyword),
      constraint auto_replies_account_id_foreign foreign key (account_id) references accounts (id)
    )`);
    this.addSql(`create table auto_reply_marks (
      person_id uuid not null,
      keyword text not null,
      answered_at timestamptz not null,
      primary key (person_id, keyword)
    )`);
  }

  override down(): void {
    for (const table of ['auto_reply_marks', 'auto_replies']) this.addSql(`drop table ${table}`);
  }
}
