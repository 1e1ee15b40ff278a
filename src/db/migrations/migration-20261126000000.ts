/** Connections: configured providers, and by which of them an attempt went. */
import { Migration } from '@mikro-orm/migrations';

/** Makes the table of connections; attempts of before went by none. */
export class Migration20261126000000 extends Migration {
  override up(): void {
    this.addSql(`create table "connections" (
      "id" uuid not null,
      "account_id" uuid null,
      "provider" text not null,
      "channel" text not null check ("channel" in ('chat_qr', 'chat_cloud', 'sms')),
      "name" text not null,
      "config" text not null,
      "config_key_id" varchar(8) not null,
      "priority" int not null default 100,
      "weight" int not null default 1 check (weight > 0),
      "countries" text[] null,
      "purposes" text[] null,
      "is_paused" boolean not null default false,
      "removed_at" timestamptz null,
      "health" text not null default 'unknown' check ("health" in ('unknown', 'up', 'down')),
      "health_error" text null,
      "health_since" timestamptz null,
      "created_at" timestamptz not null,
      "updated_at" timestamptz not null,
      primary key ("id"),
      constraint "connections_account_id_foreign" foreign key ("account_id") references "accounts" ("id")
    )`);
    this.addSql(`create index "connections_account_id_index" on "connections" ("account_id")`);
    this.addSql(`create table "attempt_parts" (
      "connection_id" uuid not null,
      "part_id" text not null,
      "attempt_id" uuid not null,
      "status" text null,
      "created_at" timestamptz not null,
      primary key ("connection_id", "part_id")
    )`);
    this.addSql(`create index "attempt_parts_attempt_id_index" on "attempt_parts" ("attempt_id")`);
    this.addSql(`alter table "attempts" add column "connection_id" uuid null`);
    this.addSql(`create index "attempts_connection_id_id_index" on "attempts" ("connection_id", "id")
      where connection_id is not null`);
  }

  override down(): void {
    this.addSql(`alter table "attempts" drop column "connection_id"`);
    this.addSql(`drop table "attempt_parts"`);
    this.addSql(`drop table "connections"`);
  }
}
