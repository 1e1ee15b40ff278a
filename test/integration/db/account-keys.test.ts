/** The rows of an account by table, so that they can be copied to another cell (docs/scale.md). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setUpServices } from '../../support/fixtures.ts';
import { REPOSITORY } from '../../support/repository.ts';

const on = setUpServices();

/** Tables of an account whose key is a UUIDv7: they are partitioned by time, or older than this rule. No new table is added here. */
const BY_ID = [
  'alert_rules',
  'alerts',
  'attempts',
  'audit_entries',
  'connections',
  'dashboard_invitations',
  'dashboard_users',
  'follow_ups',
  'inbound_messages',
  'late_attempts',
  'logged_requests',
  'messages',
  'otps',
  'people',
  'person_notes',
  'sandbox_messages',
  'sandbox_orders',
  'senders',
  'tokens',
  'webhook_deliveries',
  'webhook_endpoints',
  'webhook_events',
  'webhook_listeners',
  'webhook_tries',
];

/** Rows without an account, each with the table of the row that it hangs on. */
const HANGS_ON: Readonly<Record<string, string>> = {
  alert_sends: 'alerts',
  alert_states: 'alert_rules',
  attempt_parts: 'connections',
  auto_reply_marks: 'people',
  chat_contacts: 'connections',
  chat_session_keys: 'connections',
  chat_sessions: 'connections',
  cloud_templates: 'connections',
  connection_health: 'connections',
  connection_quotas: 'connections',
  dashboard_sessions: 'dashboard_users',
  handovers: 'attempts',
  inbound_partials: 'connections',
  inbound_seen: 'connections',
  request_buckets: 'tokens',
};

/** Tables of the cell as a whole, or filled anew by use. A rule for senders of one connection is set again by hand. */
const OF_CELL = [
  'blanked',
  'erasure_key',
  'log_roll_up',
  'migrations',
  'number_turns',
  'readiness',
  'routing_marks',
  'secret_key',
  'sender_rules',
  'sign_in_guards',
];

/** Each table with the first column of its primary key, and whether a column tells the account; a partition is its table's. */
const TABLES = `
  select c.relname as "table", (select attname from pg_attribute where attrelid = c.oid and attnum = i.indkey[0]) as "first",
    exists (select from pg_attribute where attrelid = c.oid and attname = 'account_id' and not attisdropped) as "hasAccount"
  from pg_class c left join pg_index i on i.indrelid = c.oid and i.indisprimary
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'accounts'`;

test('each table has a key that begins with the account, or is named here with its reason', async () => {
  const rows = await on.sql<{ table: string; first: string; hasAccount: boolean }>(TABLES);
  const others = rows.filter(({ first }) => first !== 'account_id');
  const named = (hasAccount: boolean) =>
    others
      .filter(row => row.hasAccount === hasAccount)
      .map(({ table }) => table)
      .sort();
  expect(named(true)).toEqual(BY_ID);
  expect(named(false)).toEqual([...Object.keys(HANGS_ON), ...OF_CELL].sort());
  const found = new Set(rows.filter(({ hasAccount }) => hasAccount).map(({ table }) => table));
  const lost = Object.entries(HANGS_ON).filter(([, parent]) => !found.has(parent) && !(parent in HANGS_ON));
  expect(lost).toEqual([]);
});

test('each table without an account that hangs on one is named where accounts are moved', () => {
  const script = readFileSync(join(REPOSITORY, 'deploy/cells/move-account'), 'utf8');
  expect(Object.keys(HANGS_ON).filter(table => !script.includes(`('${table}'`))).toEqual([]);
});
