/** Alert rules, how what they watch stands, and what was told. */
import { Migration } from '@mikro-orm/migrations';

const KINDS =
  "('endpoint_failing', 'connection_down', 'balance_low', 'balance_runs_out', 'conversion_low', 'passcodes_blocked')";

/** Adds the tables. */
export class Migration20261201000010 extends Migration {
  override up(): void {
    this.addSql(`create table "alert_rules" ("id" uuid not null, "account_id" uuid not null, "kind" text not null, "threshold" int null,
      "lasting_minutes" int not null, "quiet_minutes" int not null, "mail" text[] not null, "slack_url" text null,
      "slack_key_id" varchar(8) null, "slack_host" text null, "is_paused" boolean not null default false,
      "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("id"),
      constraint "alert_rules_kind_check" check ("kind" in ${KINDS}),
      constraint "alert_rules_lasting_minutes_check" check (lasting_minutes >= 0),
      constraint "alert_rules_quiet_minutes_check" check (quiet_minutes >= 0),
      constraint "alert_rules_account_id_foreign" foreign key ("account_id") references "accounts" ("id"))`);
    this.addSql(`create index "alert_rules_account_id_index" on "alert_rules" ("account_id")`);
    this.addSql(`create table "alert_states" ("rule_id" uuid not null, "subject" text not null, "name" text null, "value" double precision null,
      "ill_since" timestamptz null, "noted_at" timestamptz not null, "raised_at" timestamptz null, "told_since" timestamptz null,
      "quiet_until" timestamptz null, primary key ("rule_id", "subject"),
      constraint "alert_states_rule_id_foreign" foreign key ("rule_id") references "alert_rules" ("id") on delete cascade)`);
    this.addSql(`create table "alerts" ("id" uuid not null, "account_id" uuid not null, "rule_id" uuid not null, "kind" text not null,
      "is_raised" boolean not null, "subject" text null, "name" text null, "value" double precision null, "threshold" int null,
      "since" timestamptz not null, "created_at" timestamptz not null, primary key ("id"),
      constraint "alerts_kind_check" check ("kind" in ${KINDS}),
      constraint "alerts_account_id_foreign" foreign key ("account_id") references "accounts" ("id"))`);
    this.addSql(`create index "alerts_account_id_id_index" on "alerts" ("account_id", "id")`);
    this.addSql(`create table "alert_sends" ("id" uuid not null, "alert_id" uuid not null, "way" text not null, "target" text not null,
      "status" text not null default 'pending', "tries" int not null default 0, "error" text null, "finished_at" timestamptz null,
      primary key ("id"), constraint "alert_sends_way_check" check ("way" in ('mail', 'slack')),
      constraint "alert_sends_status_check" check ("status" in ('pending', 'sent', 'failed')),
      constraint "alert_sends_alert_id_foreign" foreign key ("alert_id") references "alerts" ("id") on delete cascade)`);
    this.addSql(`create index "alert_sends_alert_id_index" on "alert_sends" ("alert_id")`);
  }

  override down(): void {
    for (const table of ['alert_sends', 'alerts', 'alert_states', 'alert_rules']) this.addSql(`drop table "${table}"`);
  }
}
