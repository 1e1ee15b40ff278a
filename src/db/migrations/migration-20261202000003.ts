/** Links by which people set a new password. */
import { Migration } from '@mikro-orm/migrations';

/** Gives people a link that is mailed, one at a time. */
export class Migration20261202000003 extends Migration {
  override up(): void {
    this.addSql(`alter table "dashboard_users" add column "reset_hash" varchar(64) null,
      add column "reset_expires_at" timestamptz null,
      add constraint "dashboard_users_reset_hash_unique" unique ("reset_hash")`);
  }

  override down(): void {
    this.addSql('alter table "dashboard_users" drop column "reset_hash", drop column "reset_expires_at"');
  }
}
