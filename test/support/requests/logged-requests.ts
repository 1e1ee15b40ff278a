import { toUuid } from '../../../src/kernel/ids.ts';
import type { TestApp } from '../app.ts';

/** A request as the log stores it. */
export interface Logged {
  readonly actor: string;
  readonly token_id: string | null;
  readonly method: string;
  readonly path: string;
  readonly operation: string | null;
  readonly status: number;
  readonly code: string | null;
  readonly field: string | null;
  readonly client_address: string | null;
  readonly duration_ms: number;
  readonly request_id: string;
  readonly left_out: number;
}

/** The logged requests of an account, or of nobody who is known, oldest first, when what waits is stored. */
export async function loggedRequests(
  on: Pick<TestApp, 'app' | 'sql'>,
  accountId: string | null,
): Promise<readonly Logged[]> {
  await on.app.requestLog.store();
  return on.sql<Logged>(
    `select actor, token_id, method, path, operation, status, code, field, client_address, duration_ms, request_id, left_out
     from logged_requests where account_id is not distinct from $1 order by id`,
    [accountId === null ? null : toUuid(accountId)],
  );
}
