/**
 * Which worker delivers to which endpoint. A worker leases an endpoint, not its deliveries: so the ten tries at a time are counted
 * by one process, a delivery costs one change of its row, and what a dead worker had in hand is free when its lease is over.
 */

import { CLOCK_SQL, clockFrom, type DatabaseClock } from '../../../db/clock.ts';
import { timeSql } from '../../../db/statements/json.sql.ts';
import { runSql, type Sql } from '../../../db/statements/sql.ts';
import type { KeyRing } from '../../../kernel/crypto/key-ring.ts';
import { fromUuid, toUuid } from '../../../kernel/ids.ts';
import { type OpenSecrets, openSecrets } from '../endpoints/endpoint-secrets.ts';
import type { WebhookEventName } from '../events/webhook-events.ts';
import {
  JUDGE_SUSPECTS,
  QUARANTINED_COLUMN,
  type Quarantined,
  type QuarantinedRow,
  toQuarantined,
} from './suspects.ts';

/**
 * How long a worker is believed alive. Renewed four times as often; a delivery that a dead one left is tried again within this time and
 * the second between two looks, so that even three that die one after another leave nothing for longer than 35 s.
 */
export const LEASE_SECONDS = 8;

/** How many endpoints with pending deliveries one look passes; the next one goes on behind them. */
const LOOK_SIZE = 1_000;

/** How many deliveries one look gives up of an endpoint: a short statement, whatever waits. */
const GIVEN_UP_SIZE = 5_000;

/** Whether deliveries may be made to an endpoint now, as SQL. */
const IS_OPEN = `e.status = 'enabled' and (e.circuit_open_until is null or e.circuit_open_until <= clock_timestamp())`;

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

/** The columns of a `TakenEndpoint`. */
export const ENDPOINT_COLUMNS = `e.id, e.account_id, e.url, e.secret, e.secret_key_id,
  case when e.previous_secret_until > clock_timestamp() then e.previous_secret end as previous_secret,
  e.previous_secret_key_id, e.circuit_open_until is not null as is_probe`;

/** The columns of a `DueDelivery`. */
const DUE_COLUMNS = `d.id, d.event_id, d.event, d.is_test, d.tries, d.step, d.deaths, ${timeSql('ev.created_at', 'us')} as created_at, ev.data`;

/** A row of `ENDPOINT_COLUMNS`. */
export interface EndpointRow {
  id: string;
  account_id: string;
  url: string;
  secret: string;
  secret_key_id: string;
  previous_secret: string | null;
  previous_secret_key_id: string | null;
  is_probe: boolean;
}

interface DueRow extends EndpointRow {
  clock: number;
  due: readonly {
    id: string;
    event_id: string;
    event: WebhookEventName;
    is_test: boolean;
    tries: number;
    step: number;
    deaths: number;
    created_at: string;
    data: string;
  }[];
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
  const [row] = await runSql<{ ids: readonly string[]; quarantined: readonly QuarantinedRow[] }>(
    sql,
    `with free as materialized (
       select id, nullif(lease_by, $1::uuid) as dead_worker, lease_until from webhook_endpoints e
       where id = any($2::uuid[]) and ${IS_OPEN}
         and (lease_by = $1 or lease_until is null or lease_until <= clock_timestamp())
       order by id for update skip locked
     ), ${JUDGE_SUSPECTS}, taken as (
       update webhook_endpoints e set lease_by = $1, lease_until = clock_timestamp() + make_interval(secs => $3::int)
       from free where e.id = free.id returning e.id
     )
     select (select coalesce(json_agg(id), '[]') from taken) as ids, ${QUARANTINED_COLUMN}`,
    [worker, endpointIds.map(toUuid), LEASE_SECONDS],
  );
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
  const rows = await runSql<{ id: string; clock: number }>(
    sql,
    `update webhook_endpoints set lease_until = clock_timestamp() + make_interval(secs => $3::int)
     where id = any($2::uuid[]) and lease_by = $1 returning id, ${CLOCK_SQL} as clock`,
    [worker, endpointIds.map(toUuid), LEASE_SECONDS],
  );
  return new Map(rows.map(row => [fromUuid('whk', row.id), clockFrom(row.clock)]));
}

/** Gives back everything that a worker has, so that the others need not wait for its leases to end. */
export async function releaseEndpoints(sql: Sql, worker: string): Promise<void> {
  await runSql(sql, 'update webhook_endpoints set lease_by = null, lease_until = null where lease_by = $1', [worker]);
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
  const [row] = await runSql<DueRow>(
    sql,
    `select ${ENDPOINT_COLUMNS}, ${CLOCK_SQL} as clock, (
       select coalesce(json_agg(n), '[]') from (
         select ${DUE_COLUMNS} from webhook_deliveries d join webhook_events ev on ev.id = d.event_id
         where d.endpoint_id = e.id and d.status = 'pending' and d.next_try_at <= clock_timestamp() and d.id <> all($3::uuid[])
         order by d.next_try_at limit $4
       ) n
     ) as due
     from webhook_endpoints e
     where e.id = $2 and e.lease_by = $1 and e.lease_until > clock_timestamp() and ${IS_OPEN}`,
    [worker, toUuid(endpointId), known.map(toUuid), limit],
  );
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
  const rows = await runSql<{ id: string; is_due: boolean; error: string | null }>(
    sql,
    `with recursive waiting as (
       (select endpoint_id as id, 1 as place from webhook_deliveries
        where status = 'pending' and ($1::uuid is null or endpoint_id > $1) order by endpoint_id limit 1)
       union all
       select next.id, w.place + 1 from waiting w
       cross join lateral (select d.endpoint_id as id from webhook_deliveries d
         where d.status = 'pending' and d.endpoint_id > w.id order by d.endpoint_id limit 1) next
       where w.place < $2
     )
     select w.id, exists (
         select from webhook_deliveries d
         where d.endpoint_id = w.id and d.status = 'pending' and d.next_try_at <= clock_timestamp()) as is_due,
       case when e.id is null then 'endpoint_deleted' when e.status = 'disabled' then 'endpoint_disabled' end as error
     from waiting w left join webhook_endpoints e on e.id = w.id`,
    [after, LOOK_SIZE],
  );
  for (const { id, error } of rows) if (error !== null) await giveUpDeliveries(sql, id, error);
  return {
    endpointIds: rows.filter(row => row.is_due && row.error === null).map(row => fromUuid('whk', row.id)),
    next: rows.length < LOOK_SIZE ? null : (rows.at(-1)?.id ?? null),
  };
}

/** Gives up what is pending for an endpoint, or a part of it: the next look goes on. @param error why, in a word */
async function giveUpDeliveries(sql: Sql, endpointUuid: string, error: string): Promise<void> {
  await runSql(
    sql,
    `update webhook_deliveries d set status = 'dead', next_try_at = null, error = $2, finished_at = clock_timestamp()
     where d.endpoint_id = $1 and d.status = 'pending' and d.id = any(array(
         select id from webhook_deliveries
         where endpoint_id = $1 and status = 'pending'
           -- A test is made whatever the endpoint's status, by who asked for it.
           and not (is_test and next_try_at > clock_timestamp())
         limit $3 for update skip locked))
       and not exists (select from webhook_endpoints e where e.id = $1 and e.status <> 'disabled')`,
    [endpointUuid, error, GIVEN_UP_SIZE],
  );
}
