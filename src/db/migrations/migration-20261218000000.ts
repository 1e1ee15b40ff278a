/** Keeps when the period ends in which the chat lets a number begin so many chats, and lets rules tell of a locked number. */
import { Migration } from '@mikro-orm/migrations';

const KINDS = [
  'endpoint_failing',
  'connection_down',
  'balance_low',
  'balance_runs_out',
  'conversion_low',
  'passcodes_blocked',
];

const checkOf = (table: string, kinds: readonly string[]): string => `alter table ${table}
  drop constraint ${table}_kind_check,
  add constraint ${table}_kind_check check (kind in (${kinds.map(kind => `'${kind}'`).join(', ')}))`;

/** Adds the column and the kind. */
export class Migration20261218000000 extends Migration {
  override up(): void {
    this.addSql('alter table chat_sessions add column new_chats_until timestamptz null');
    for (const table of ['alert_rules', 'alerts']) this.addSql(checkOf(table, KINDS.toSpliced(2, 0, 'number_locked')));
  }

  override down(): void {
    for (const table of ['alert_rules', 'alerts']) {
      this.addSql(`delete from ${table} where kind = 'number_locked'`);
      this.addSql(checkOf(table, KINDS));
    }
    this.addSql('alter table chat_sessions drop column new_chats_until');
  }
}
