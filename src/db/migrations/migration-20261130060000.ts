/** The role `support`, for people and invitations. */
import { Migration } from '@mikro-orm/migrations';

const TABLES = ['dashboard_users', 'dashboard_invitations'] as const;

/** Lets people and invitations have the role `support`. */
export class Migration20261130060000 extends Migration {
  override up(): void {
    for (const table of TABLES) this.#allow(table, ['owner', 'developer', 'support', 'viewer']);
  }

  override down(): void {
    for (const table of TABLES) {
      // The former release knows no such person.
      this.addSql(`update "${table}" set "role" = 'viewer' where "role" = 'support'`);
      this.#allow(table, ['owner', 'developer', 'viewer']);
    }
  }

  #allow(table: (typeof TABLES)[number], roles: readonly string[]): void {
    this.addSql(`alter table "${table}" drop constraint "${table}_role_check",
      add constraint "${table}_role_check" check ("role" in (${roles.map(role => `'${role}'`).join(', ')}))`);
  }
}
