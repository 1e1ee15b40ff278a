/** Figures are counted up to a few minutes ago; what was stopped is found by an index. */
import { Migration } from '@mikro-orm/migrations';

const COUNTED = ['late_attempts', 'log_otp_counts', 'log_latencies', 'log_counts'];

/** Late changes say what was before. Those that are stored do not: all is counted anew. */
export class Migration20261128050000 extends Migration {
  override up(): void {
    for (const table of COUNTED) this.addSql(`truncate "${table}"`);
    this.addSql(`update "log_roll_up" set "until" = '00000000-0000-0000-0000-000000000000'`);
    this.addSql(`alter table "late_attempts" add column "was_status" text not null, add column "was_error_code" text null,
      add column "was_credits" int not null, add column "was_left" boolean not null, add column "was_finished_at" timestamptz null`);
    this.addSql(
      `create index "attempts_stopped_index" on "attempts" ("account_id", "id") where type in ('otp_blocked', 'otp_flagged')`,
    );
  }

  override down(): void {
    this.addSql(`drop index "attempts_stopped_index"`);
    for (const table of COUNTED) this.addSql(`truncate "${table}"`);
    this.addSql(`update "log_roll_up" set "until" = '00000000-0000-0000-0000-000000000000'`);
    for (const column of ['status', 'error_code', 'credits', 'left', 'finished_at'])
      this.addSql(`alter table "late_attempts" drop column "was_${column}"`);
  }
}
