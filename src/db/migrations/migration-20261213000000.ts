/** Keeps the limits that providers set to the numbers of connections. */
import { Migration } from '@mikro-orm/migrations';

/** Makes the table. */
export class Migration20261213000000 extends Migration {
  override up(): void {
    this.addSql(`create table connection_quotas (
      connection_id uuid not null primary key,
      quality text null check (quality in ('green', 'yellow', 'red')),
      reach int null,
      used int not null,
      read_at timestamptz not null,
      low_since timestamptz null
    )`);
  }

  override down(): void {
    this.addSql('drop table connection_quotas');
  }
}
