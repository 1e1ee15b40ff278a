/** Keeps what connections did lately, by country. */
import { Migration } from '@mikro-orm/migrations';

/** Makes the table. */
export class Migration20261215000000 extends Migration {
  override up(): void {
    this.addSql(`create table connection_health (
      connection_id uuid not null,
      country text not null,
      reason text null,
      hour jsonb not null,
      day jsonb not null,
      counted_at timestamptz not null,
      primary key (connection_id, country)
    )`);
  }

  override down(): void {
    this.addSql('drop table connection_health');
  }
}
