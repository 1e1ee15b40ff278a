/** Keeps the templates of cloud chats as their providers list them. */
import { Migration } from '@mikro-orm/migrations';

/** Makes the table. */
export class Migration20261212000000 extends Migration {
  override up(): void {
    this.addSql(`create table cloud_templates (
      id uuid not null,
      connection_id uuid not null,
      name text not null,
      language text not null,
      category text not null,
      status text not null,
      reason text null,
      components jsonb not null,
      synced_at timestamptz not null,
      primary key (id),
      constraint cloud_templates_connection_id_name_language_unique unique (connection_id, name, language),
      constraint cloud_templates_connection_id_foreign foreign key (connection_id) references connections (id)
    )`);
  }

  override down(): void {
    this.addSql('drop table cloud_templates');
  }
}
