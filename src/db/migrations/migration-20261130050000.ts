/** Accounts have a time zone and a country. */
import { Migration } from '@mikro-orm/migrations';

/** Adds both. Accounts of before are in UTC and in no country. */
export class Migration20261130050000 extends Migration {
  override up(): void {
    this.addSql(
      `alter table "accounts" add column "time_zone" text not null default 'UTC', add column "country" text null`,
    );
  }

  override down(): void {
    this.addSql(`alter table "accounts" drop column "time_zone", drop column "country"`);
  }
}
