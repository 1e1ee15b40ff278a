/**
 * One-time passcodes: the OTPs, what their limits count, and the log's rows about them. The decoy is the OTP (and its recipient) that a verify of an
 * unknown pin works on, so that it takes as long as one of a pin that exists; it belongs to no account and has no code.
 */
import { Migration } from '@mikro-orm/migrations';

const STATUSES = `'pending', 'sent', 'delivered', 'read', 'failed', 'expired', 'unknown'`;
const OUTCOMES = `'message_attempt', 'otp_attempt', 'otp_verified', 'otp_incorrect', 'otp_expired', 'otp_blocked'`;

/** Rows that are changed a few times soon after they were made find room on their page, and their indexes need not hear of it. */
const ROOM = 'with (fillfactor = 60)';

/** Makes the tables of OTPs, and lets the log hold what became of them. */
export class Migration20261121000000 extends Migration {
  override up(): void {
    this.addSql(`create table "otps" (
      "id" uuid not null,
      "position" uuid not null,
      "account_id" uuid not null,
      "area" text not null,
      "recipient" text not null,
      "country" text null,
      "channels" text[] not null,
      "delivery_mode" text not null,
      "chat_from" text null,
      "sender" text null,
      "cloud_template" jsonb null,
      "length" int not null,
      "expires_in" int not null,
      "template" text not null,
      "autofill" jsonb null,
      "nonce" varchar(32) not null,
      "key_id" varchar(8) not null,
      "code_mac" varchar(64) not null,
      "status" text not null,
      "channel" text null,
      "segments" int not null,
      "attempts" int not null default 0,
      "attempts_max" int not null,
      "resends" int not null default 0,
      "resend_available_at" timestamptz not null,
      "expires_at" timestamptz not null,
      "verified_at" timestamptz null,
      "lease_until" timestamptz null,
      "created_at" timestamptz not null,
      primary key ("id")
    ) ${ROOM}`);
    this.addSql(`create index "otps_account_id_position_index" on "otps" ("account_id", "position")`);
    this.addSql(`create index "otps_lease_until_index" on "otps" ("lease_until") where lease_until is not null`);
    this.addSql(
      `create unique index "otps_live_unique" on "otps" ("account_id", "area", "recipient") where status in ('pending', 'sent')`,
    );
    this.addSql(
      `alter table "otps" add constraint "otps_area_check" check ("area" in ('unified', 'sms', 'otp', 'management'))`,
    );
    this.addSql(
      `alter table "otps" add constraint "otps_delivery_mode_check" check ("delivery_mode" in ('fallback', 'all'))`,
    );
    this.addSql(
      `alter table "otps" add constraint "otps_status_check" check ("status" in ('pending', 'sent', 'verified', 'expired', 'blocked', 'failed', 'cancelled'))`,
    );
    this.addSql(
      `alter table "otps" add constraint "otps_channel_check" check ("channel" in ('chat_qr', 'chat_cloud', 'sms'))`,
    );
    this.addSql(`create table "otp_recipients" (
      "account_id" uuid not null,
      "recipient" text not null,
      "sends" timestamptz[] not null,
      "wrongs" timestamptz[] not null,
      "cooldowns" jsonb not null,
      "updated_at" timestamptz not null,
      primary key ("account_id", "recipient")
    ) ${ROOM}`);
    this.addSql(`create index "otp_recipients_updated_at_index" on "otp_recipients" ("updated_at")`);
    this.addSql(`create table "otp_addresses" (
      "account_id" uuid not null,
      "address" text not null,
      "wrongs" timestamptz[] not null,
      "admitted" int not null,
      "updated_at" timestamptz not null,
      primary key ("account_id", "address")
    )`);
    this.addSql(`create index "otp_addresses_updated_at_index" on "otp_addresses" ("updated_at")`);
    this.addSql(`create table "otp_traffic" (
      "account_id" uuid not null,
      "place" text not null,
      "hour" timestamptz not null,
      "sent" int not null,
      "verified" int not null,
      primary key ("account_id", "place", "hour")
    )`);
    this.addSql(`create index "otp_traffic_hour_index" on "otp_traffic" ("hour")`);
    this.addSql(`create table "request_buckets" (
      "token_id" uuid not null,
      "kind" text not null,
      "full_at" timestamptz not null,
      "admitted" int not null,
      primary key ("token_id", "kind")
    )`);
    this.addSql(`alter table "accounts" add column "otp_settings" jsonb null`);
    this.addSql(`alter table "senders" add column "otp_template" jsonb null`);
    // No row has a pin yet, so the column is made anew: to change its type would write every row again.
    this.addSql(`alter table "attempts" drop column "pin_id"`);
    this.addSql(`alter table "attempts" add column "pin_id" uuid null`);
    this.addSql(`create index "attempts_pin_id_index" on "attempts" ("pin_id") where pin_id is not null`);
    this.addSql(`alter table "attempts" alter column "channel" drop not null`);
    this.addSql(`alter table "attempts" alter column "provider" drop not null`);
    this.addSql(`alter table "attempts" add column "country" text null`);
    this.addSql(`alter table "attempts" add column "resend" int null`);
    this.addSql(`alter table "attempts" drop constraint "attempts_type_check"`);
    this.addSql(
      `alter table "attempts" add constraint "attempts_type_check" check ("type" in (${OUTCOMES}, 'otp_flagged'))`,
    );
    this.addSql(`alter table "attempts" drop constraint "attempts_status_check"`);
    this.addSql(
      `alter table "attempts" add constraint "attempts_status_check" check ("status" in (${STATUSES}, 'verified', 'blocked'))`,
    );
    // What a demo account that is made from now on has.
    this.addSql(`update "accounts" set otp_settings = '{"countries": ["*"]}' where name = 'demo'`);
    this.addSql(`update "senders" set otp_template = '{"name": "otp_code", "language": "en_US"}'
      where channel = 'chat_cloud' and address = '15550000002' and account_id in (select id from "accounts" where name = 'demo')`);
    this.addSql(`insert into "otps" (id, position, account_id, area, recipient, channels, delivery_mode, length, expires_in,
        template, nonce, key_id, code_mac, status, segments, attempts_max, resend_available_at, expires_at, created_at)
      select nil, nil, nil, 'management', '', '{}', 'fallback', 6, 300, '', '', '', '', 'pending', 0, 2147483647,
        'infinity', 'infinity', now()
      from (select '00000000-0000-0000-0000-000000000000'::uuid as nil) n`);
    this.addSql(`insert into "otp_recipients" (account_id, recipient, sends, wrongs, cooldowns, updated_at)
      values ('00000000-0000-0000-0000-000000000000', '', '{}', '{}', '{}', 'infinity')`);
  }

  override down(): void {
    this.addSql(`delete from "attempts" where type not in ('message_attempt')`);
    this.addSql(`alter table "attempts" drop constraint "attempts_status_check"`);
    this.addSql(`alter table "attempts" add constraint "attempts_status_check" check ("status" in (${STATUSES}))`);
    this.addSql(`alter table "attempts" drop constraint "attempts_type_check"`);
    this.addSql(`alter table "attempts" add constraint "attempts_type_check" check ("type" in (${OUTCOMES}))`);
    this.addSql(`alter table "attempts" drop column "resend"`);
    this.addSql(`alter table "attempts" drop column "country"`);
    this.addSql(`alter table "attempts" alter column "provider" set not null`);
    this.addSql(`alter table "attempts" alter column "channel" set not null`);
    this.addSql(`alter table "attempts" drop column "pin_id"`);
    this.addSql(`alter table "attempts" add column "pin_id" text null`);
    this.addSql(`create index "attempts_pin_id_index" on "attempts" ("pin_id") where pin_id is not null`);
    this.addSql(`alter table "senders" drop column "otp_template"`);
    this.addSql(`alter table "accounts" drop column "otp_settings"`);
    this.addSql(`drop table "request_buckets"`);
    this.addSql(`drop table "otp_traffic"`);
    this.addSql(`drop table "otp_addresses"`);
    this.addSql(`drop table "otp_recipients"`);
    this.addSql(`drop table "otps"`);
  }
}
