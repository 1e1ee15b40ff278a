/** Figures of the log by hour. */
import { Migration } from '@mikro-orm/migrations';

const KEYS = `"account_id" uuid not null, "hour" uuid not null`;

/** Adds the tables, empty: the job counts what there is, and until then the figures are read from the log itself. */
export class Migration20261128000000 extends Migration {
  override up(): void {
    this.addSql(`create table "log_counts" (${KEYS}, "type" text not null, "channel" text not null, "provider" text not null,
      "status" text not null, "error_code" text not null, "country" text not null, "entries" int not null, "credits" int not null,
      primary key ("account_id", "hour", "type", "channel", "provider", "status", "error_code", "country"))`);
    this.addSql(`create table "log_latencies" (${KEYS}, "channel" text not null, "provider" text not null, "step" int not null,
      "attempts" int not null, primary key ("account_id", "hour", "channel", "provider", "step"))`);
    this.addSql(`create table "log_otp_counts" (${KEYS}, "sent" int not null, "verified" int not null,
      primary key ("account_id", "hour"))`);
    this.addSql(`create table "log_roll_up" ("id" int not null, "until" uuid not null, primary key ("id"))`);
    this.addSql(`insert into "log_roll_up" values (1, '00000000-0000-0000-0000-000000000000')`);
    this.addSql(`create table "late_attempts" ("attempt_id" uuid not null, "status" text not null, "account_id" uuid not null,
      primary key ("attempt_id", "status"))`);
  }

  override down(): void {
    for (const table of ['late_attempts', 'log_roll_up', 'log_otp_counts', 'log_latencies', 'log_counts'])
      this.addSql(`drop table "${table}"`);
  }
}
