/**
 * The first schema. `messages` and `attempts` are partitioned by range of their id (a UUIDv7, so by time); their partitions are
 * made by `ensurePartitions`. They have no foreign keys: an account is never deleted while it has rows, and a check of each
 * row would cost the hot path more than it can find.
 */
import { Migration } from '@mikro-orm/migrations';

/** Makes every table of the first version. */
export class Migration20261120000000 extends Migration {
  override up(): void {
    this.addSql(`create table "accounts" (
      "id" uuid not null,
      "name" text not null,
      "unified_api" boolean not null default true,
      "plan_expires_at" timestamptz null,
      "credits" int not null default 0,
      "rate_limit" int null default 100,
      "created_at" timestamptz not null,
      primary key ("id")
    )`);
    this.addSql(`alter table "accounts" add constraint "accounts_credits_check" check (credits >= 0)`);
    this.addSql(`alter table "accounts" add constraint "accounts_rate_limit_check" check (rate_limit > 0)`);
    this.addSql(`create table "tokens" (
      "id" uuid not null,
      "account_id" uuid not null,
      "area" text not null,
      "hash" varchar(64) not null,
      "prefix" varchar(16) not null,
      "created_at" timestamptz not null,
      "revoked_at" timestamptz null,
      primary key ("id")
    )`);
    this.addSql(`create index "tokens_account_id_index" on "tokens" ("account_id")`);
    this.addSql(`alter table "tokens" add constraint "tokens_hash_unique" unique ("hash")`);
    this.addSql(
      `alter table "tokens" add constraint "tokens_area_check" check ("area" in ('unified', 'sms', 'otp', 'management'))`,
    );
    this.addSql(`create table "senders" (
      "id" uuid not null,
      "account_id" uuid not null,
      "channel" text not null,
      "address" text not null,
      "approved_at" timestamptz null,
      "is_default" boolean not null default false,
      "template_required" boolean not null default true,
      "created_at" timestamptz not null,
      primary key ("id")
    )`);
    this.addSql(
      `alter table "senders" add constraint "senders_account_id_channel_address_unique" unique ("account_id", "channel", "address")`,
    );
    this.addSql(
      `alter table "senders" add constraint "senders_channel_check" check ("channel" in ('chat_qr', 'chat_cloud', 'sms'))`,
    );
    this.addSql(`create table "dashboard_users" (
      "id" uuid not null,
      "account_id" uuid not null,
      "email" text not null,
      "password_hash" text not null,
      "created_at" timestamptz not null,
      primary key ("id")
    )`);
    this.addSql(`create index "dashboard_users_account_id_index" on "dashboard_users" ("account_id")`);
    this.addSql(`alter table "dashboard_users" add constraint "dashboard_users_email_unique" unique ("email")`);
    this.addSql(`create table "messages" (
      "id" uuid not null,
      "account_id" uuid not null,
      "area" text not null,
      "recipient" text not null,
      "text" text not null,
      "channels" text[] not null,
      "delivery_mode" text not null,
      "chat_from" text null,
      "sender" text null,
      "cloud_template" jsonb null,
      "reference" text null,
      "status" text not null,
      "channel" text null,
      "segments" int not null,
      "lease_until" timestamptz null,
      "created_at" timestamptz not null,
      primary key ("id")
    ) partition by range ("id")`);
    this.addSql(`create index "messages_account_id_id_index" on "messages" ("account_id", "id")`);
    this.addSql(
      `create index "messages_account_id_area_id_index" on "messages" ("account_id", "area", "id") where area <> 'unified'`,
    );
    this.addSql(
      `create index "messages_account_id_reference_index" on "messages" ("account_id", "reference") where reference is not null`,
    );
    this.addSql(
      `create index "messages_lease_until_index" on "messages" ("lease_until") where lease_until is not null`,
    );
    this.addSql(
      `alter table "messages" add constraint "messages_area_check" check ("area" in ('unified', 'sms', 'otp', 'management'))`,
    );
    this.addSql(
      `alter table "messages" add constraint "messages_delivery_mode_check" check ("delivery_mode" in ('fallback', 'all'))`,
    );
    this.addSql(
      `alter table "messages" add constraint "messages_status_check" check ("status" in ('pending', 'sent', 'delivered', 'read', 'failed', 'expired', 'unknown'))`,
    );
    this.addSql(
      `alter table "messages" add constraint "messages_channel_check" check ("channel" in ('chat_qr', 'chat_cloud', 'sms'))`,
    );
    this.addSql(`create table "attempts" (
      "id" uuid not null,
      "account_id" uuid not null,
      "area" text not null,
      "type" text not null,
      "message_id" uuid null,
      "pin_id" text null,
      "channel" text not null,
      "provider" text not null,
      "recipient" text not null,
      "sender" text null,
      "reference" text null,
      "status" text not null,
      "error_code" text null,
      "error_message" text null,
      "segments" int not null,
      "credits" int not null default 0,
      "provider_message_id" text null,
      "started_at" timestamptz not null,
      "finished_at" timestamptz null,
      primary key ("id")
    ) partition by range ("id")`);
    this.addSql(`create index "attempts_account_id_id_index" on "attempts" ("account_id", "id")`);
    this.addSql(
      `create index "attempts_account_id_area_id_index" on "attempts" ("account_id", "area", "id") where area <> 'unified'`,
    );
    this.addSql(
      `create index "attempts_account_id_recipient_id_index" on "attempts" ("account_id", "recipient", "id")`,
    );
    this.addSql(`create index "attempts_message_id_index" on "attempts" ("message_id")`);
    this.addSql(`create index "attempts_pin_id_index" on "attempts" ("pin_id") where pin_id is not null`);
    this.addSql(
      `create index "attempts_provider_message_id_index" on "attempts" ("provider_message_id") where provider_message_id is not null`,
    );
    this.addSql(
      `alter table "attempts" add constraint "attempts_area_check" check ("area" in ('unified', 'sms', 'otp', 'management'))`,
    );
    this.addSql(
      `alter table "attempts" add constraint "attempts_type_check" check ("type" in ('message_attempt', 'otp_attempt', 'otp_verified', 'otp_incorrect', 'otp_expired', 'otp_blocked'))`,
    );
    this.addSql(
      `alter table "attempts" add constraint "attempts_channel_check" check ("channel" in ('chat_qr', 'chat_cloud', 'sms'))`,
    );
    this.addSql(
      `alter table "attempts" add constraint "attempts_status_check" check ("status" in ('pending', 'sent', 'delivered', 'read', 'failed', 'expired', 'unknown'))`,
    );
    this.addSql(`create table "idempotency_keys" (
      "account_id" uuid not null,
      "area" text not null,
      "reference" text not null,
      "fingerprint" varchar(64) not null,
      "message_id" uuid not null,
      "answer" jsonb null,
      "expires_at" timestamptz not null,
      primary key ("account_id", "area", "reference")
    )`);
    this.addSql(`create index "idempotency_keys_expires_at_index" on "idempotency_keys" ("expires_at")`);
    this.addSql(
      `alter table "idempotency_keys" add constraint "idempotency_keys_area_check" check ("area" in ('unified', 'sms', 'otp', 'management'))`,
    );
    this.addSql(`create table "plants" (
      "account_id" uuid not null,
      "id" bigint not null,
      "name" text not null,
      "tag" text null,
      "created_at" timestamptz not null,
      primary key ("account_id", "id")
    )`);
    this.addSql(`create table "sandbox_messages" (
      "id" uuid not null,
      "account_id" uuid not null,
      "recipient" text not null,
      "channel" text not null,
      "sender" text null,
      "text" text not null,
      "created_at" timestamptz not null,
      primary key ("id")
    )`);
    this.addSql(`create index "sandbox_messages_account_id_id_index" on "sandbox_messages" ("account_id", "id")`);
    this.addSql(
      `alter table "sandbox_messages" add constraint "sandbox_messages_channel_check" check ("channel" in ('chat_qr', 'chat_cloud', 'sms'))`,
    );
    this.addSql(
      `alter table "dashboard_users" add constraint "dashboard_users_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
    );
    this.addSql(
      `alter table "plants" add constraint "plants_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
    );
    this.addSql(
      `alter table "senders" add constraint "senders_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
    );
    this.addSql(
      `alter table "tokens" add constraint "tokens_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
    );
  }

  override down(): void {
    this.addSql(`drop table "sandbox_messages"`);
    this.addSql(`drop table "plants"`);
    this.addSql(`drop table "idempotency_keys"`);
    this.addSql(`drop table "attempts"`);
    this.addSql(`drop table "messages"`);
    this.addSql(`drop table "dashboard_users"`);
    this.addSql(`drop table "senders"`);
    this.addSql(`drop table "tokens"`);
    this.addSql(`drop table "accounts"`);
  }
}
