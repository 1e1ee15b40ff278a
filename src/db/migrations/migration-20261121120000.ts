/** Webhooks: endpoints, events, their deliveries and every try; and who listens to events while developing. */
import { Migration } from '@mikro-orm/migrations';

/** Makes the tables of webhooks. */
export class Migration20261121120000 extends Migration {
  override up(): void {
    this.addSql(`create table "webhook_endpoints" (
      "id" uuid not null,
      "account_id" uuid not null,
      "url" text not null,
      "events" text[] not null,
      "description" text null,
      "status" text not null default 'enabled',
      "disabled_reason" text null,
      "disabled_at" timestamptz null,
      "secret" text not null,
      "secret_key_id" varchar(8) not null,
      "previous_secret" text null,
      "previous_secret_key_id" varchar(8) null,
      "previous_secret_until" timestamptz null,
      "failing_since" timestamptz null,
      "failures" int not null default 0,
      "circuit_open_until" timestamptz null,
      "lease_by" uuid null,
      "lease_until" timestamptz null,
      "created_at" timestamptz not null,
      "updated_at" timestamptz not null,
      primary key ("id")
    ) with (fillfactor = 50)`);
    this.addSql(`create index "webhook_endpoints_account_id_id_index" on "webhook_endpoints" ("account_id", "id")`);
    this.addSql(
      `alter table "webhook_endpoints" add constraint "webhook_endpoints_status_check" check ("status" in ('enabled', 'paused', 'disabled'))`,
    );
    this.addSql(
      `alter table "webhook_endpoints" add constraint "webhook_endpoints_disabled_reason_check" check ("disabled_reason" in ('gone', 'failing'))`,
    );
    this.addSql(`create table "webhook_events" (
      "id" uuid not null,
      "account_id" uuid not null,
      "event" text not null,
      "data" text not null,
      "created_at" timestamptz not null,
      primary key ("id")
    ) partition by range ("id")`);
    this.addSql(`create table "webhook_deliveries" (
      "id" uuid not null,
      "account_id" uuid not null,
      "endpoint_id" uuid not null,
      "event_id" uuid not null,
      "event" text not null,
      "is_test" boolean not null default false,
      "status" text not null,
      "tries" int not null default 0,
      "step" int not null default 0,
      "next_try_at" timestamptz null,
      "http_status" int null,
      "error" text null,
      "created_at" timestamptz not null,
      "finished_at" timestamptz null,
      primary key ("id")
    ) partition by range ("id")`);
    this.addSql(`create index "webhook_deliveries_endpoint_id_id_index" on "webhook_deliveries" ("endpoint_id", "id")`);
    this.addSql(
      `create index "webhook_deliveries_due_index" on "webhook_deliveries" ("endpoint_id", "next_try_at") where status = 'pending'`,
    );
    this.addSql(
      `create index "webhook_deliveries_dead_index" on "webhook_deliveries" ("endpoint_id", "id") where status = 'dead'`,
    );
    this.addSql(
      `alter table "webhook_deliveries" add constraint "webhook_deliveries_status_check" check ("status" in ('pending', 'delivered', 'dead'))`,
    );
    this.addSql(`create table "webhook_tries" (
      "id" uuid not null,
      "account_id" uuid not null,
      "endpoint_id" uuid not null,
      "delivery_id" uuid not null,
      "number" int not null,
      "http_status" int null,
      "duration_ms" int not null,
      "error" text null,
      "error_message" text null,
      "response" text null,
      "created_at" timestamptz not null,
      primary key ("id")
    ) partition by range ("id")`);
    this.addSql(`create index "webhook_tries_delivery_id_index" on "webhook_tries" ("delivery_id")`);
    this.addSql(`create table "webhook_listeners" (
      "id" uuid not null,
      "account_id" uuid not null,
      "events" text[] not null,
      "expires_at" timestamptz not null,
      primary key ("id")
    )`);
    this.addSql(`create index "webhook_listeners_account_id_index" on "webhook_listeners" ("account_id")`);
  }

  override down(): void {
    this.addSql(`drop table "webhook_listeners"`);
    this.addSql(`drop table "webhook_tries"`);
    this.addSql(`drop table "webhook_deliveries"`);
    this.addSql(`drop table "webhook_events"`);
    this.addSql(`drop table "webhook_endpoints"`);
  }
}
