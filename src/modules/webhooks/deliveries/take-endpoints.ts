/** Endpoints as workers take them. A worker leases the endpoint, so one process counts its tries, and a delivery changes one row. */
import type { Sql } from '../../../db/statements/sql.ts';
import type { Answer } from '../../../db/statements/statement.ts';
import type { KeyRing } from '../../../kernel/crypto/key-ring.ts';
import { toUuid } from '../../../kernel/ids.ts';
import { openSecrets } from '../endpoints/endpoint-secrets.ts';
import { createWebhookSigner, type WebhookSigner } from '../signatures/webhook-signature.ts';
import { type DueDelivery, FIND_DUE_ENDPOINTS, GIVE_UP_DELIVERIES, LOAD_DUE } from './take-endpoints.sql.ts';

/** How many endpoints with pending deliveries one look passes; the next one goes on behind them. */
const LOOK_SIZE = 1_000;

/** How many deliveries one look gives up of an endpoint: a short statement, whatever waits. */
const GIVEN_UP_SIZE = 5_000;

/** The facts of an endpoint that its deliveries need. */
export interface TakenEndpoint {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  /** Signs with the secrets of now; null: the key of its secret is lost. */
  readonly sign: WebhookSigner | null;
  /** Whether its breaker was open: one try decides. */
  readonly isProbe: boolean;
}

/** The endpoint of a row. */
export function toTakenEndpoint(keys: KeyRing, row: Omit<Answer<typeof LOAD_DUE>, 'due'>): TakenEndpoint {
  const { id, accountId, url, isProbe } = row;
  const secrets = openSecrets(keys, row);
  return { id, accountId, url, isProbe, sign: secrets && createWebhookSigner(secrets) };
}

/** The endpoint (by its uuid) as it is now, with what is due and not in `known`. Null: the worker lost it, or it wants nothing now. */
export async function loadDue(
  sql: Sql,
  keys: KeyRing,
  worker: string,
  endpoint: string,
  known: readonly string[],
  limit: number,
): Promise<{ endpoint: TakenEndpoint; due: readonly DueDelivery[] } | null> {
  const row = await LOAD_DUE.first(sql, { worker, id: endpoint, known: known.map(toUuid), limit });
  return row ? { endpoint: toTakenEndpoint(keys, row), due: row.due } : null;
}

/**
 * Finds the endpoints with deliveries whose time has come, in the order of their uuids behind `after`. Null as `next`: the next look begins
 * at the first. Pending deliveries of a disabled or deleted endpoint are given up on the way: they were written while that happened.
 */
export async function findDueEndpoints(
  sql: Sql,
  after: string | null,
): Promise<{ readonly endpoints: readonly string[]; readonly next: string | null }> {
  const rows = await FIND_DUE_ENDPOINTS.run(sql, { after, limit: LOOK_SIZE });
  for (const { id, error } of rows) {
    if (error !== null) await GIVE_UP_DELIVERIES.run(sql, { endpoint: id, error, limit: GIVEN_UP_SIZE });
  }
  return {
    endpoints: rows.filter(row => row.is_due && row.error === null).map(row => row.id),
    next: rows.length < LOOK_SIZE ? null : (rows.at(-1)?.id ?? null),
  };
}
