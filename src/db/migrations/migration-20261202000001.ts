/** The second factor of people, and whether an account requires one. */
import { Migration } from '@mikro-orm/migrations';

/** Gives people a second factor with recovery codes, and accounts the rule that everybody has one. */
export class Migration20261202000001 extends Migration {
  override up(): void {
    this.addSql(`alter table "dashboard_users" add column "second_factor" text null,
      add column "second_factor_key_id" varchar(8) null,
      add column "second_factor_since" timestamptz null,
      add column "second_factor_step" int null,
      add column "recovery_codes" text[] not null default '{}'`);
    this.addSql('alter table "accounts" add column "second_factor_required" boolean not null default false');
  }

  override down(): void {
    this.addSql('alter table "accounts" drop column "second_factor_required"');
    this.addSql(`alter table "dashboard_users" drop column "second_factor", drop column "second_factor_key_id",
      drop column "second_factor_since", drop column "second_factor_step", drop column "recovery_codes"`);
  }
}
