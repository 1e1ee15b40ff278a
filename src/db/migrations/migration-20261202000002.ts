/** People who sign in by the OIDC provider, and have no password here. */
import { Migration } from '@mikro-orm/migrations';

/** Lets people have the name that a provider knows them by, and no password. */
export class Migration20261202000002 extends Migration {
  override up(): void {
    this.addSql(`alter table "dashboard_users" alter column "password_hash" drop not null,
      add column "oidc_subject" text null, add constraint "dashboard_users_oidc_subject_unique" unique ("oidc_subject")`);
  }

  override down(): void {
    // The former release knows no such person.
    this.addSql('delete from "dashboard_users" where "oidc_subject" is not null');
    this.addSql(`alter table "dashboard_users" drop column "oidc_subject", alter column "password_hash" set not null`);
  }
}
