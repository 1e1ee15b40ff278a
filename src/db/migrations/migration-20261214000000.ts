/** Keeps when people wrote, by the clocks of providers: a cloud chat is open from then on. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the column. */
export class Migration20261214000000 extends Migration {
  override up(): void {
    this.addSql('alter table inbound_messages add column sent_at timestamptz null');
  }

  override down(): void {
    this.addSql('alter table inbound_messages drop column sent_at');
  }
}
