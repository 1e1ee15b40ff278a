/** Keeps what comes in: messages of people, which of them have come, and texts whose parts wait for each other. The log has a type and a status for them. */
import { Migration } from '@mikro-orm/migrations';

const TYPES = `'message_attempt', 'otp_attempt', 'otp_verified', 'otp_incorrect', 'otp_expired', 'otp_blocked', 'otp_flagged'`;
const STATUSES = `'pending', 'sent', 'delivered', 'read', 'failed', 'expired', 'unknown', 'verified', 'blocked'`;

/** Replaces the checks of the log; the entries of a partition are looked at once. */
const checksOf = (types: string, statuses: string): string => `alter table attempts
  drop constraint attempts_type_check, drop constraint attempts_status_check,
  add constraint attempts_type_check check (type in (${types})),
  add constraint attempts_status_check check (status in (${statuses}))`;

/** Makes the tables of what comes in. */
export class Migration20261207000000 extends Migration {
  override up(): void {
    this.addSql(`create table inbound_messages (
      id uuid not null,
      account_id uuid not null,
      connection_id uuid null,
      channel text not null,
      type text not null,
      from_number text null,
      from_user_id text null,
      username text null,
      to_address text not null,
      text text null,
      reply_to uuid null,
      received_at timestamptz not null,
      primary key (id),
      constraint inbound_messages_channel_check check (channel in ('chat_qr', 'chat_cloud', 'sms'))
    ) partition by range (id)`);
    this.addSql('create index inbound_messages_account_id_id_index on inbound_messages (account_id, id)');
    this.addSql(
      'create index inbound_messages_account_id_from_number_id_index on inbound_messages (account_id, from_number, id)',
    );
    this.addSql(`create table inbound_seen (
      connection_id uuid not null,
      provider_message_id text not null,
      seen_at timestamptz not null,
      primary key (connection_id, provider_message_id)
    )`);
    this.addSql(`create table inbound_partials (
      connection_id uuid not null,
      key text not null,
      head jsonb not null,
      total int not null,
      parts jsonb not null,
      due_at timestamptz not null,
      told_at timestamptz null,
      primary key (connection_id, key)
    )`);
    this.addSql('create index inbound_partials_due_at_index on inbound_partials (due_at)');
    this.addSql('create index senders_address_index on senders (address)');
    this.addSql(checksOf(`${TYPES}, 'inbound'`, `${STATUSES}, 'received'`));
  }

  override down(): void {
    this.addSql(`delete from attempts where type = 'inbound'`);
    this.addSql(`delete from log_counts where type = 'inbound'`);
    this.addSql(checksOf(TYPES, STATUSES));
    this.addSql('drop index senders_address_index');
    for (const table of ['inbound_partials', 'inbound_seen', 'inbound_messages']) this.addSql(`drop table ${table}`);
  }
}
