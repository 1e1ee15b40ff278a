/** Keeps the number of a connection, as its provider tells it. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the column. */
export class Migration20261219000000 extends Migration {
  override up(): void {
    this.addSql('alter table connections add column number text null');
  }

  override down(): void {
    this.addSql('alter table connections drop column number');
  }
}
