/** Smart encoding of SMS. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the setting of accounts, and whether a send goes out encoded; sends of before do not. */
export class Migration20261126010000 extends Migration {
  override up(): void {
    this.addSql(`alter table "accounts" add column "smart_encoding" boolean not null default false`);
    for (const table of ['messages', 'otps'])
      this.addSql(`alter table "${table}" add column "smart_encoded" boolean not null default false`);
  }

  override down(): void {
    for (const table of ['otps', 'messages']) this.addSql(`alter table "${table}" drop column "smart_encoded"`);
    this.addSql(`alter table "accounts" drop column "smart_encoding"`);
  }
}
