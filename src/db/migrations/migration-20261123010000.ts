/** The budget of wrong codes of an account. */
import { Migration } from '@mikro-orm/migrations';

/** Makes the table of the wrong codes of accounts. */
export class Migration20261123010000 extends Migration {
  override up(): void {
    // Every verify of an account changes its one row, which has no index but its key: there is room to do so in its page.
    this.addSql(`create table "otp_accounts" (
      "account_id" uuid not null,
      "wrongs" timestamptz[] not null,
      "admitted" int not null,
      "alarmed_at" timestamptz null,
      primary key ("account_id")
    ) with (fillfactor = 20)`);
  }

  override down(): void {
    this.addSql(`drop table "otp_accounts"`);
  }
}
