/** What the timeline of a send tells: which connections were passed over, when receipts came, and which events were of it. */
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
  }

  override down(): void {
    this.addSql(`alter table "webhook_events" drop column "send_id"`);
    this.addSql(`alter table "attempts" drop column "passed_over", drop column "reported_at", drop column "delivered_at",
      drop column "ended_as"`);
  }
}
