/** Keeps the sessions of QR-linked chats: who owns them, their keys, whom they know, and what is handed over to their owners. */
import { Migration } from '@mikro-orm/migrations';

/** Makes the tables. */
export class Migration20261216000000 extends Migration {
  override up(): void {
    this.addSql(`create table chat_sessions (
      connection_id uuid not null primary key,
      state text not null default 'unlinked' check (state in ('unlinked', 'linked', 'relink', 'banned', 'replaced', 'outdated')),
      state_since timestamptz not null,
      is_open boolean not null default false,
      error text null,
      number text null,
      creds text null,
      creds_key_id varchar(8) null,
      owner uuid null,
      lease_until timestamptz null,
      linked_at timestamptz null,
      last_ack_at timestamptz null,
      turns timestamptz[] not null default '{}',
      locked_since timestamptz null,
      locked_until timestamptz null,
      new_chats int null,
      new_chats_used int null,
      limits_at timestamptz null,
      risks_accepted_by text null,
      risks_accepted_at timestamptz null
    )`);
    this.addSql(`create table chat_session_keys (
      connection_id uuid not null,
      kind text not null,
      id text not null,
      value text not null,
      key_id varchar(8) not null,
      primary key (connection_id, kind, id)
    )`);
    this.addSql(`create table chat_contacts (
      connection_id uuid not null,
      person text not null,
      first_at timestamptz not null,
      last_at timestamptz not null,
      known_at timestamptz null,
      primary key (connection_id, person)
    )`);
    this.addSql('create index chat_contacts_first_at_index on chat_contacts (connection_id, first_at)');
    this.addSql(`create table handovers (
      attempt_id uuid not null primary key,
      connection_id uuid not null,
      send_id text null,
      test jsonb null,
      deadline_at timestamptz not null,
      is_taken boolean not null default false,
      outcome jsonb null
    )`);
    this.addSql('create index handovers_connection_id_index on handovers (connection_id)');
  }

  override down(): void {
    for (const table of ['handovers', 'chat_contacts', 'chat_session_keys', 'chat_sessions'])
      this.addSql(`drop table ${table}`);
  }
}
