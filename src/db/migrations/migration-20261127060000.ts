/** What the timeline of a send tells: which connections were passed over, when receipts came, and which events were of it. And what phones of the sandbox report. */
import { Migration } from '@mikro-orm/migrations';

/** Adds columns that are null in the usual case, and the send of an event. What was stored before keeps them null. */
export class Migration20261127060000 extends Migration {
  override up(): void {
    this.addSql(`alter table "attempts" add column "passed_over" jsonb null, add column "reported_at" timestamptz null,
      add column "delivered_at" timestamptz null, add column "ended_as" text null`);
    this.addSql(`alter table "webhook_events" add column "send_id" uuid null`);
    this.addSql(
      `create index "webhook_events_send_id_index" on "webhook_events" ("send_id") where send_id is not null`,
    );
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
    this.addSql(`alter table "webhook_events" drop column "send_id"`);
    this.addSql(`alter table "attempts" drop column "passed_over", drop column "reported_at", drop column "delivered_at",
      drop column "ended_as"`);
  }
}
