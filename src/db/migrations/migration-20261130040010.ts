/** Tokens have a name, a maker, and the address of their last use. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the columns. Who made the tokens that are there, the audit trail knows; not whether the operator did at the command line. */
export class Migration20261130040010 extends Migration {
  override up(): void {
    this.addSql(`alter table "tokens"
      add column "name" text null, add column "made_by" text null, add column "maker_email" text null, add column "last_used_from" text null`);
    this.addSql(
      `alter table "tokens" add constraint "tokens_made_by_check" check ("made_by" in ('operator', 'command_line', 'user', 'gateway'))`,
    );
    this.addSql(`update "tokens" t set "made_by" = e."actor", "maker_email" = e."user_email"
      from "audit_entries" e
      where e."action" = 'token.created' and e."subject" = 'tok_' || replace(t."id"::text, '-', '') and e."actor" in ('operator', 'user')`);
  }

  override down(): void {
    this.addSql(
      `alter table "tokens" drop column "name", drop column "made_by", drop column "maker_email", drop column "last_used_from"`,
    );
  }
}
