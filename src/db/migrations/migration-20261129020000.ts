/** Sends of passcodes are limited by the end user's address. */
import { Migration } from '@mikro-orm/migrations';

/** Adds what was sent for each address. The table is empty: sends of before did not count. */
export class Migration20261129020000 extends Migration {
  override up(): void {
    this.addSql(`create table "otp_send_addresses" (
      "account_id" uuid not null,
      "address" text not null,
      "sends" timestamptz[] not null,
      "admitted" int not null,
      "updated_at" timestamptz not null,
      primary key ("account_id", "address")
    )`);
    this.addSql(`create index "otp_send_addresses_updated_at_index" on "otp_send_addresses" ("updated_at")`);
  }

  override down(): void {
    this.addSql(`drop table "otp_send_addresses"`);
  }
}
