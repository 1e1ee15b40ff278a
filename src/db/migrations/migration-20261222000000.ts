/** Keeps with what is handed over whether its recipient gets it though they stopped. Null: a process of the release before, which does not say so, handed it over. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the column. */
export class Migration20261222000000 extends Migration {
  override up(): void {
    this.addSql('alter table handovers add column goes_to_suppressed boolean');
  }

  override down(): void {
    this.addSql('alter table handovers drop column goes_to_suppressed');
  }
}
