/** An order of what a phone reports ends with the text that takes it; deliveries of which followers of events are told once more. */
import { Migration } from '@mikro-orm/migrations';

/** Orders that were taken are forgotten; a phone has one that waits. */
export class Migration20261128020000 extends Migration {
  override up(): void {
    this.addSql(`delete from "sandbox_orders" where text_id is not null`);
    this.addSql(`alter table "sandbox_orders" drop column "text_id",
      add constraint "sandbox_orders_account_id_recipient_unique" unique ("account_id", "recipient")`);
    this.addSql(`alter table "webhook_deliveries" add column "tells_again" boolean not null default false`);
  }

  override down(): void {
    this.addSql(`alter table "webhook_deliveries" drop column "tells_again"`);
    this.addSql(`alter table "sandbox_orders" drop constraint "sandbox_orders_account_id_recipient_unique",
      add column "text_id" uuid null`);
    this.addSql(
      `create index "sandbox_orders_text_id_index" on "sandbox_orders" ("text_id") where text_id is not null`,
    );
    this.addSql(
      `create unique index "sandbox_orders_waiting_unique" on "sandbox_orders" ("account_id", "recipient") where text_id is null`,
    );
  }
}
