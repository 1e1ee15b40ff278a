/** Keeps who people are: by number and by the ids that channels give, what of theirs was read, and what is noted about them (contract §15). */
import { Migration } from '@mikro-orm/migrations';

/** Makes the tables of people, and the index that finds what somebody without a number wrote. */
export class Migration20261209000000 extends Migration {
  override up(): void {
    this.addSql(`create table people (
      id uuid not null,
      account_id uuid not null,
      name text null,
      newest uuid not null,
      last_message_id uuid null,
      read_until uuid null,
      merged_into uuid null,
      primary key (id)
    )`);
    this.addSql('create index people_account_id_newest_index on people (account_id, newest) where merged_into is null');
    this.addSql(`create index people_unread_index on people (account_id, newest)
      where merged_into is null and last_message_id is not null and (read_until is null or read_until < last_message_id)`);
    this.addSql(`create table person_addresses (
      account_id uuid not null,
      value text not null,
      kind text not null,
      person_id uuid not null,
      channel text null,
      learned_from uuid null,
      learned_at timestamptz not null,
      primary key (account_id, value),
      constraint person_addresses_kind_check check (kind in ('number', 'user_id')),
      constraint person_addresses_channel_check check (channel in ('chat_qr', 'chat_cloud', 'sms')),
      constraint person_addresses_person_id_foreign foreign key (person_id) references people (id)
    )`);
    this.addSql('create index person_addresses_person_id_index on person_addresses (person_id)');
    this.addSql(`create table person_notes (
      id uuid not null,
      account_id uuid not null,
      person_id uuid not null,
      text text not null,
      author text null,
      created_at timestamptz not null,
      primary key (id),
      constraint person_notes_account_id_foreign foreign key (account_id) references accounts (id),
      constraint person_notes_person_id_foreign foreign key (person_id) references people (id)
    )`);
    this.addSql('create index person_notes_person_id_id_index on person_notes (person_id, id)');
    this.addSql(
      'create index inbound_messages_account_id_from_user_id_id_index on inbound_messages (account_id, from_user_id, id) where from_user_id is not null',
    );
  }

  override down(): void {
    this.addSql('drop index inbound_messages_account_id_from_user_id_id_index');
    for (const table of ['person_notes', 'person_addresses', 'people']) this.addSql(`drop table ${table}`);
  }
}
