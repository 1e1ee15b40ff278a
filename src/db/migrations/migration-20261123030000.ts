/** What is known of webhook deliveries whose workers died over them. */
import { Migration } from '@mikro-orm/migrations';

/** Counts the workers that died while they may have tried a delivery, and keeps who tries one that is suspected. */
export class Migration20261123030000 extends Migration {
  override up(): void {
    this.addSql(
      `alter table "webhook_deliveries" add column "deaths" smallint not null default 0, add column "tried_by" uuid null`,
    );
  }

  override down(): void {
    this.addSql(`alter table "webhook_deliveries" drop column "deaths", drop column "tried_by"`);
  }
}
