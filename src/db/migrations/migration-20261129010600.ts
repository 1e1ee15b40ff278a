/** Texts are blanked, and what connections say of their health is ours. */
import { Migration } from '@mikro-orm/migrations';

/** Adds how far the blanking has come. What was stored of a failure may be a provider's words about a text of any account: it is forgotten. */
export class Migration20261129010600 extends Migration {
  override up(): void {
    this.addSql(`create table "blanked" ("name" text not null, "until" uuid not null, primary key ("name"))`);
    this.addSql(`update "connections" set "health_error" = 'It failed.' where "health_error" is not null`);
  }

  override down(): void {
    this.addSql(`drop table "blanked"`);
  }
}
