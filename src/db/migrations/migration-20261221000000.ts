/** Keeps the business whose numbers use a reach together. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the column. Each row gets it within half an hour. */
export class Migration20261221000000 extends Migration {
  override up(): void {
    this.addSql('alter table connection_quotas add column business_id text null');
  }

  override down(): void {
    this.addSql('alter table connection_quotas drop column business_id');
  }
}
