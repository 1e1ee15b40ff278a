/**
 * Which worker delivers to which endpoint. A worker leases an endpoint, not its deliveries: so the ten tries at a time are counted
 * by one process, a delivery costs one change of its row, and what a dead worker had in hand is free when its lease is over.
 */

import { clockFrom, type DatabaseClock } from '../../../db/clock.ts';
import type { Sql } from '../../../db/statements/sql.ts';
import type { KeyRing } from '../../../kernel/crypto/key-ring.ts';
import { fromUuid, toUuid } from '../../../kernel/ids.ts';
import { type OpenSecrets, openSecrets } from '../endpoints/endpoint-secrets.ts';
import type { WebhookEventName } from '../events/webhook-events.ts';
import { type Quarantined, toQuarantined } from './suspects.ts';
import {
  type EndpointRow,
  FIND_DUE_ENDPOINTS,
  GIVE_UP_DELIVERIES,
  LOAD_DUE,
  RELEASE_ENDPOINTS,
  RENEW_LEASES,
  TAKE_ENDPOINTS,
} from './take-endpoints.sql.ts';

/**
 * How long a worker is believed alive. Renewed four times as often; a delivery that a dead one left is tried again within this time and
 * the second between two looks, so that even three that die one after another leave nothing for longer than 35 s.
 */
export const LEASE_SECONDS = 8;

/** How many endpoints with pending deliveries one look passes; the next one goes on behind them. */
const LOOK_SIZE = 1_000;

/** How many deliveries one look gives up of an endpoint: a short statement, whatever waits. */
const GIVEN_UP_SIZE = 5_000;

/** What deliveries to an endpoint need of it. */
export interface TakenEndpoint {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  /** What signs now; null: the key of its secret is lost. */
  readonly secrets: OpenSecrets | null;
  /** Whether its breaker was open: one try decides. */
  readonly isProbe: boolean;
}

/** A delivery whose time has come, with its event. */
export interface DueDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly event: WebhookEventName;
  readonly isTest: boolean;
  readonly tries: number;
  readonly step: number;
  /** How many workers died while they may have tried it. */
  readonly deaths: number;
  /** When the event happened, ISO 8601 with microseconds. */
  readonly createdAt: string;
  /** What the event tells, JSON. */
  readonly data: string;
}

/**
 * Takes these endpoints for a worker, but for those that another one has, or that want no deliveries now. Answers the ids of those it
 * has, and what was quarantined of those whose holder died.
 */
export async function takeEndpoints(
  sql: Sql,
  worker: string,
  endpointIds: readonly string[],
): Promise<{ readonly endpointIds: readonly string[]; readonly quarantined: readonly Quarantined[] }> {
  const row = await TAKE_ENDPOINTS.first(sql, { worker, ids: endpointIds.map(toUuid), leaseSeconds: LEASE_SECONDS });
  return {
    endpointIds: (row?.ids ?? []).map(id => fromUuid('whk', id)),
    quarantined: (row?.quarantined ?? []).map(toQuarantined),
  };
}

/** Renews the leases of a worker on these endpoints, and answers those that it still has, each with the time. */
export async function renewLeases(
  sql: Sql,
  worker: string,
  endpointIds: readonly string[],
): Promise<ReadonlyMap<string, DatabaseClock>> {
  const rows = await RENEW_LEASES.run(sql, { worker, ids: endpointIds.map(toUuid), leaseSeconds: LEASE_SECONDS });
  return new Map(rows.map(row => [fromUuid('whk', row.id), clockFrom(row.clock)]));
}

/** Gives back everything that a worker has, so that the others need not wait for its leases to end. */
export async function releaseEndpoints(sql: Sql, worker: string): Promise<void> {
  await RELEASE_ENDPOINTS.run(sql, { worker });
}

/**
 * The deliveries of an endpoint that are due, the oldest first, without those of `known`; the endpoint as it is now; and the time. Null where
 * the worker has it no longer, or no deliveries may be made to it.
 */
export async function loadDue(
  sql: Sql,
  keys: KeyRing,
  worker: string,
  endpointId: string,
  known: readonly string[],
  limit: number,
): Promise<{ endpoint: TakenEndpoint; due: DueDelivery[]; clock: DatabaseClock } | null> {
  const row = await LOAD_DUE.first(sql, { worker, id: toUuid(endpointId), known: known.map(toUuid), limit });
  if (!row) return null;
  const clock = clockFrom(row.clock);
  const due = row.due.map(
    (each): DueDelivery => ({
      id: fromUuid('dlv', each.id),
      eventId: fromUuid('evt', each.event_id),
      event: each.event,
      isTest: each.is_test,
      tries: each.tries,
      step: each.step,
      deaths: each.deaths,
      createdAt: each.created_at,
      data: each.data,
    }),
  );
  return { endpoint: toTakenEndpoint(keys, row), due, clock };
}

/** The endpoint of a row. */
export function toTakenEndpoint(keys: KeyRing, row: EndpointRow): TakenEndpoint {
  const id = fromUuid('whk', row.id);
  const { secret, secret_key_id: secretKeyId } = row;
  const { previous_secret: previousSecret, previous_secret_key_id: previousSecretKeyId } = row;
  return {
    id,
    accountId: fromUuid('acc', row.account_id),
    url: row.url,
    secrets: openSecrets(keys, { id, secret, secretKeyId, previousSecret, previousSecretKeyId }),
    isProbe: row.is_probe,
  };
}

/** What a look over the endpoints found. */
export interface Look {
  /** Endpoints with deliveries whose time has come. */
  readonly endpointIds: readonly string[];
  /** Where the next look goes on; null: at the beginning. */
  readonly next: string | null;
}

/**
 * Finds the endpoints with deliveries whose time has come, in the order of their ids behind `after`. It steps from endpoint to
 * endpoint in the index of what is pending, so it costs the same however many deliveries wait. What waits for an endpoint that is
 * disabled or gone is given up on the way: it was written while that happened.
 */
export async function findDueEndpoints(sql: Sql, after: string | null): Promise<Look> {
  const rows = await FIND_DUE_ENDPOINTS.run(sql, { after, limit: LOOK_SIZE });
  for (const { id, error } of rows) {
    if (error !== null) await GIVE_UP_DELIVERIES.run(sql, { endpoint: id, error, limit: GIVEN_UP_SIZE });
  }
  return {
    endpointIds: rows.filter(row => row.is_due && row.error === null).map(row => fromUuid('whk', row.id)),
    next: rows.length < LOOK_SIZE ? null : (rows.at(-1)?.id ?? null),
  };
}
