/** The stored audit trail, and a database that takes no entry. */
import { toUuid } from '../../../src/kernel/ids.ts';
import type { TestServices } from '../services.ts';

type Test = Pick<TestServices, 'sql'>;

/** An entry as it is stored. */
export interface StoredAudit {
  readonly id: string;
  readonly account_id: string | null;
  readonly action: string;
  readonly subject: string | null;
  readonly actor: string;
  readonly token_id: string | null;
  readonly client_address: string | null;
  readonly request_id: string;
  readonly details: Record<string, unknown>;
}

/** The entries of an account, or all of them, oldest first. */
export function storedAudit({ sql }: Test, accountId: string | null = null): Promise<StoredAudit[]> {
  return sql<StoredAudit>(
    `select id, account_id, action, subject, actor, token_id, client_address, request_id, details
     from audit_entries where $1::uuid is null or account_id = $1 order by created_at, id`,
    [accountId === null ? null : toUuid(accountId)],
  );
}

/** Lets the database refuse every entry while something runs. */
export async function withoutAudit({ sql }: Test, run: () => Promise<void>): Promise<void> {
  await sql("alter table audit_entries add constraint refused check (action = '') not valid");
  try {
    await run();
  } finally {
    await sql('alter table audit_entries drop constraint refused');
  }
}

/** The audited tables as one text, which changes with any of their rows. */
export async function auditedState({ sql }: Test): Promise<string> {
  const tables = [
    'accounts',
    'tokens',
    'senders',
    'webhook_endpoints',
    'webhook_deliveries',
    'ledger',
    'sender_rules',
    'alert_rules',
    'chat_sessions',
  ];
  const rows: string[] = [];
  for (const table of tables) {
    const [row] = await sql<{ state: string | null }>(
      `select string_agg(t::text, ';' order by t::text) as state from ${table} t`,
    );
    rows.push(`${table}: ${row?.state ?? ''}`);
  }
  return rows.join('\n');
}
