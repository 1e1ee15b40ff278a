/** Smart encoding of SMS, and the rules for their senders. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the setting of accounts, whether a send goes out encoded (those of before do not), and the table of sender rules. */
export class Migration20261126010000 extends Migration {
  override up(): void {
    this.addSql(`alter table "accounts" add column "smart_encoding" boolean not null default false`);
    for (const table of ['messages', 'otps'])
      this.addSql(`alter table "${table}" add column "smart_encoded" boolean not null default false`);
    this.addSql(`create table "sender_rules" (
      "id" uuid not null,
      "country" text not null,
      "connection_id" uuid null,
      "alphanumeric" text not null check ("alphanumeric" in ('allowed', 'replaced', 'refused')),
      "numeric_sender" text null,
      "updated_at" timestamptz not null,
      primary key ("id"),
      constraint "sender_rules_country_connection_id_unique" unique ("country", "connection_id"),
      constraint "sender_rules_numeric_sender_check" check ((alphanumeric = 'replaced') = (numeric_sender is not null)),
      constraint "sender_rules_connection_id_foreign" foreign key ("connection_id") references "connections" ("id")
    )`);
    this.addSql(
      `create unique index "sender_rules_country_unique" on "sender_rules" ("country") where connection_id is null`,
    );
  }

  override down(): void {
    this.addSql(`drop table "sender_rules"`);
    for (const table of ['otps', 'messages']) this.addSql(`alter table "${table}" drop column "smart_encoded"`);
    this.addSql(`alter table "accounts" drop column "smart_encoding"`);
  }
}
