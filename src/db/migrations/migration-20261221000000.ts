/** Keeps the accounts and portfolios whose numbers use a reach together. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the column. Each row gets its ids within half an hour. */
export class Migration20261221000000 extends Migration {
  override up(): void {
    this.addSql(`alter table connection_quotas add column business_ids text[] not null default '{}'`);
  }

  override down(): void {
    this.addSql('alter table connection_quotas drop column business_ids');
  }
}
