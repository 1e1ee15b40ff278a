/** What phones of the sandbox are told to report of the next text that they get. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the table of these orders. */
export class Migration20261128010000 extends Migration {
  override up(): void {
    this.addSql(`create table "sandbox_orders" (
      "id" uuid not null,
      "account_id" uuid not null,
      "recipient" text not null,
      "outcome" text null,
      "delay_seconds" int not null,
      "created_at" timestamptz not null,
      "text_id" uuid null,
      primary key ("id")
    )`);
    this.addSql(
      `create index "sandbox_orders_text_id_index" on "sandbox_orders" ("text_id") where text_id is not null`,
    );
    this.addSql(`create index "sandbox_orders_created_at_index" on "sandbox_orders" ("created_at")`);
    this.addSql(
      `create unique index "sandbox_orders_waiting_unique" on "sandbox_orders" ("account_id", "recipient") where text_id is null`,
    );
  }

  override down(): void {
    this.addSql(`drop table "sandbox_orders"`);
  }
}
