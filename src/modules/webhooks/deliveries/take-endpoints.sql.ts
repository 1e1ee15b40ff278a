/** The statements by which workers take endpoints, and what is due for them. */
import { idSql, timeSql } from '../../../db/statements/json.sql.ts';
import { typed } from '../../../db/statements/sql-types.ts';
import { statement } from '../../../db/statements/statement.ts';
import type { WebhookEventName } from '../events/webhook-events.ts';
import { ISOLATED_FROM } from './isolation.ts';

/**
 * How long a worker is believed alive; it renews four times as often. Deliveries that a dead one had in hand are tried again within this time
 * and the second between two looks. Three workers that die one after another delay none for longer than 35 s, but for those they died over.
 */
export const LEASE_SECONDS = 8;

const LEASE_END = `clock_timestamp() + interval '${LEASE_SECONDS} seconds'`;

/** Whether deliveries may be made to an endpoint now. */
const IS_OPEN = `e.status = 'enabled' and (e.circuit_open_until is null or e.circuit_open_until <= clock_timestamp())`;

/** The columns of an endpoint `e` that its deliveries need. */
export const ENDPOINT_COLUMNS = `${idSql('whk', 'e.id')} as id, ${idSql('acc', 'e.account_id')} as "accountId", e.url,
  e.secret, e.secret_key_id as "secretKeyId",
  case when e.previous_secret_until > clock_timestamp() then e.previous_secret end as "previousSecret",
  e.previous_secret_key_id as "previousSecretKeyId", e.circuit_open_until is not null as "isProbe"`;

/** The types of `ENDPOINT_COLUMNS`. */
export const ENDPOINT = {
  id: 'text',
  accountId: 'text',
  url: 'text',
  secret: 'text',
  secretKeyId: 'varchar',
  previousSecret: 'text?',
  previousSecretKeyId: 'varchar?',
  isProbe: 'boolean',
} as const;

/** The deaths over a delivery after which it is quarantined. From the third one on it was tried by itself, so no other delivery caused them. */
const DEATHS_MAX = 5;

/** How long a delivery is put off after a death while it was tried by itself. The others go first, and kills by another cause do not find it again. */
const PUT_OFF_SECONDS = 10;

/** How many deliveries of an endpoint a worker has in hand: the oldest that are due. */
const IN_HAND = 100;

/** A delivery that is given up because workers die over it. */
interface Quarantined {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly accountId: string;
}

/**
 * Takes the endpoints that no other worker has, and that want deliveries now. Of those whose holder died, `blamed` has the deliveries that count
 * one death more. A delivery that is being settled at this moment is passed over.
 */
export const TAKE_ENDPOINTS = statement('take endpoints', {
  takes: { worker: 'uuid', ids: 'uuid[]' },
  gives: { ids: typed<readonly string[]>('json'), quarantined: typed<readonly Quarantined[]>('json') },
  sql: p => `
  with free as materialized (
    select id, nullif(lease_by, ${p.worker}) as dead_worker, lease_until from webhook_endpoints e
    where id = any(${p.ids}) and ${IS_OPEN}
      and (lease_by = ${p.worker} or lease_until is null or lease_until <= clock_timestamp())
    order by id for update skip locked
  ), suspects as materialized (
    select d.id, f.dead_worker from free f cross join lateral (
      select id from webhook_deliveries d
      where d.endpoint_id = f.id and d.status = 'pending' and d.next_try_at <= f.lease_until
      order by d.next_try_at limit ${IN_HAND} for update skip locked
    ) d where f.dead_worker is not null
  ), blamed as (
    update webhook_deliveries d
    set deaths = d.deaths + 1, tried_by = null,
        status = case when d.deaths + 1 >= ${DEATHS_MAX} then 'dead' else 'pending' end,
        error = case when d.deaths + 1 >= ${DEATHS_MAX} then 'quarantined' else d.error end,
        next_try_at = case when d.deaths + 1 >= ${DEATHS_MAX} then null
          when d.deaths + 1 > ${ISOLATED_FROM} then clock_timestamp() + interval '${PUT_OFF_SECONDS} seconds' else d.next_try_at end,
        finished_at = case when d.deaths + 1 >= ${DEATHS_MAX} then clock_timestamp() end
    where d.id = any(array(select id from suspects)) and d.status = 'pending'
      and (d.deaths = 0 or d.tried_by = any(array(select dead_worker from suspects)))
    returning d.id, d.endpoint_id, d.account_id, d.status
  ), taken as (
    update webhook_endpoints e set lease_by = ${p.worker}, lease_until = ${LEASE_END}
    from free where e.id = free.id returning e.id
  )
  select (select coalesce(json_agg(id), '[]') from taken) as ids, (
    select coalesce(json_agg(json_build_object('deliveryId', ${idSql('dlv', 'id')}, 'endpointId', ${idSql('whk', 'endpoint_id')},
      'accountId', ${idSql('acc', 'account_id')})), '[]')
    from blamed where status = 'dead') as quarantined`,
});

/** Renews the leases of a worker. Endpoints are locked in one order, as where tries are settled. */
export const RENEW_LEASES = statement('renew leases', {
  takes: { worker: 'uuid', ids: 'uuid[]' },
  gives: { id: 'uuid' },
  sql: p => `
  with held as materialized (
    select id from webhook_endpoints where id = any(${p.ids}) and lease_by = ${p.worker} order by id for no key update
  )
  update webhook_endpoints e set lease_until = ${LEASE_END}
  from held where e.id = held.id returning e.id`,
});

/** Gives back everything that a worker has, in the same order. */
export const RELEASE_ENDPOINTS = statement('release endpoints', {
  takes: { worker: 'uuid' },
  sql: p => `
  with held as materialized (
    select id from webhook_endpoints where lease_by = ${p.worker} order by id for no key update
  )
  update webhook_endpoints e set lease_by = null, lease_until = null from held where e.id = held.id`,
});

/** Notes that a worker tries a suspect now, and is to blame for nothing else. */
export const NOTE_TRIED = statement('note tried', {
  takes: { worker: 'uuid', id: 'uuid' },
  sql: p => `update webhook_deliveries set tried_by = ${p.worker} where id = ${p.id}`,
});

/** Takes that back where the try was none: the process ends, and did not die. */
export const FORGET_TRIED = statement('forget tried', {
  takes: { worker: 'uuid', id: 'uuid' },
  sql: p => `update webhook_deliveries set tried_by = null where id = ${p.id} and tried_by = ${p.worker}`,
});

/** A delivery whose time has come, with its event. */
export interface DueDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly event: WebhookEventName;
  readonly isTest: boolean;
  /** Whether who follows events is told of the event once more. */
  readonly tellsAgain: boolean;
  readonly tries: number;
  readonly step: number;
  /** How many workers died while they may have tried it. */
  readonly deaths: number;
  /** When the event happened, ISO 8601 with microseconds. */
  readonly createdAt: string;
  /** The `data` of the event. */
  readonly data: unknown;
}

/** An endpoint that a worker has, with its deliveries that are due, the oldest first, without those that are known. */
export const LOAD_DUE = statement('load due deliveries', {
  takes: { worker: 'uuid', id: 'uuid', known: 'uuid[]', limit: 'int' },
  gives: { ...ENDPOINT, due: typed<readonly DueDelivery[]>('json') },
  sql: p => `
  select ${ENDPOINT_COLUMNS}, (
    select coalesce(json_agg(n), '[]') from (
      select ${idSql('dlv', 'd.id')} as id, ${idSql('evt', 'd.event_id')} as "eventId", d.event, d.is_test as "isTest", d.tells_again as "tellsAgain",
        d.tries, d.step, d.deaths, ${timeSql('ev.created_at', 'us')} as "createdAt", ev.data::json as data
      from webhook_deliveries d join webhook_events ev on ev.id = d.event_id
      where d.endpoint_id = e.id and d.status = 'pending' and d.next_try_at <= clock_timestamp() and d.id <> all(${p.known})
      order by d.next_try_at limit ${p.limit}
    ) n
  ) as due
  from webhook_endpoints e
  where e.id = ${p.id} and e.lease_by = ${p.worker} and e.lease_until > clock_timestamp() and ${IS_OPEN}`,
});

/** Steps from endpoint to endpoint in the index of what is pending. `error`: why nothing is delivered to it any more. */
export const FIND_DUE_ENDPOINTS = statement('find due endpoints', {
  takes: { after: 'uuid?', limit: 'int' },
  gives: { id: 'uuid', is_due: 'boolean', error: 'text?' },
  sql: p => `
  with recursive waiting as (
    (select endpoint_id as id, 1 as place from webhook_deliveries
     where status = 'pending' and (${p.after} is null or endpoint_id > ${p.after}) order by endpoint_id limit 1)
    union all
    select next.id, w.place + 1 from waiting w
    cross join lateral (select d.endpoint_id as id from webhook_deliveries d
      where d.status = 'pending' and d.endpoint_id > w.id order by d.endpoint_id limit 1) next
    where w.place < ${p.limit}
  )
  select w.id, exists (
      select from webhook_deliveries d
      where d.endpoint_id = w.id and d.status = 'pending' and d.next_try_at <= clock_timestamp()) as is_due,
    case when e.id is null then 'endpoint_deleted' when e.status = 'disabled' then 'endpoint_disabled' end as error
  from waiting w left join webhook_endpoints e on e.id = w.id`,
});

/** Gives up what is pending for an endpoint, or a part of it: the next look goes on. */
export const GIVE_UP_DELIVERIES = statement('give up deliveries', {
  takes: { endpoint: 'uuid', error: 'text', limit: 'int' },
  sql: p => `
  update webhook_deliveries d set status = 'dead', next_try_at = null, error = ${p.error}, finished_at = clock_timestamp()
  where d.endpoint_id = ${p.endpoint} and d.status = 'pending' and d.id = any(array(
      select id from webhook_deliveries
      where endpoint_id = ${p.endpoint} and status = 'pending'
        -- A test is made whatever the endpoint's status, by who asked for it.
        and not (is_test and next_try_at > clock_timestamp())
      limit ${p.limit} for update skip locked))
    and not exists (select from webhook_endpoints e where e.id = ${p.endpoint} and e.status <> 'disabled')`,
});
