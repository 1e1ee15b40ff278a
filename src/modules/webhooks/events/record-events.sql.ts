/** Events, as a part of the statement that changes the state (contract §7). An event that nobody wants costs one look at the account's endpoints and followers. */
import { UUID7 } from '../../../db/statements/uuid7.sql.ts';
import { EVENT_CHANNEL, WEBHOOK_CHANNEL } from './announce-webhooks.ts';
import type { WebhookEventName } from './webhook-events.ts';

/** Rows of a statement that may be events; all members are SQL. */
export interface EventSource {
  /** The source of the rows: the inside of a FROM clause. */
  readonly from: string;
  /** The condition of the rows that count. */
  readonly where: string;
  /** The alias of the table whose rows have `account_id`. */
  readonly of: string;
  /** The uuid of the message or the OTP that it is about; absent: it is about neither. */
  readonly send?: string;
  /** The condition of each event that a row may be: the first that holds decides; none: it is no event. */
  readonly events: Readonly<Partial<Record<WebhookEventName, string>>>;
  /** The `data` of the event, as `json`. */
  readonly data: string;
  /** The order of the events among each other, where there are several of one send. A join keeps the order of no subquery. */
  readonly order?: string;
}

/** Whether anybody is told of anything that happens to these accounts, as SQL. @param accounts SQL of type `uuid[]` */
export function isTold(accounts: string): string {
  return `(exists (select from webhook_endpoints where account_id = any(${accounts}))
    or exists (select from webhook_listeners where account_id = any(${accounts}) and expires_at > clock_timestamp()))`;
}

/**
 * The CTEs that write the events of these sources, in their order, and a delivery for each endpoint that wants one. A delivery to a disabled
 * endpoint is given up at once, so that it can be recovered. @param accounts the accounts of the statement, SQL of type `uuid[]`
 */
export function eventCtes(accounts: string, sources: readonly EventSource[]): string {
  return `wanted_events as materialized (
    select account_id, unnest(events) as event from webhook_endpoints where account_id = any(${accounts})
    union
    select account_id, unnest(events) from webhook_listeners
    where account_id = any(${accounts}) and expires_at > clock_timestamp()
  ), new_events as materialized (
    select ${UUID7} as id, account_id, send_id, event, data, clock_timestamp() + row_number() over () * interval '1 microsecond' as at
    from (${sources.map(sourceSql).join(' union all ')}) n
  ), event_rows as (
    insert into webhook_events (id, account_id, send_id, event, data, created_at)
    select id, account_id, send_id, event, data::text, at from new_events
    returning case when exists (
        select from webhook_listeners l
        where l.account_id = webhook_events.account_id and webhook_events.event = any(l.events) and l.expires_at > clock_timestamp())
      then pg_notify('${EVENT_CHANNEL}', webhook_events.id::text) end
  ), queued_deliveries as (
    insert into webhook_deliveries (id, account_id, endpoint_id, event_id, event, status, next_try_at, error, created_at, finished_at)
    select ${UUID7}, n.account_id, e.id, n.id, n.event, d.status, case when d.status = 'pending' then n.at end, d.error, n.at,
      case when d.status = 'dead' then n.at end
    from new_events n
    join webhook_endpoints e on e.account_id = n.account_id and n.event = any(e.events)
    cross join lateral (select
      case when e.status = 'disabled' then 'dead' else 'pending' end as status,
      case when e.status = 'disabled' then 'endpoint_disabled' end as error) d
    returning case when status = 'pending' then pg_notify('${WEBHOOK_CHANNEL}', endpoint_id::text) end
  )`;
}

function sourceSql({ from, where, of, send = 'null::uuid', events, data, order }: EventSource): string {
  const cases = Object.entries(events).map(([name, condition]) => `when ${condition} then '${name}'`);
  const event = `case ${cases.join(' ')} end`;
  const rows = `select ${of}.account_id, ${send} as send_id, ${event} as event, ${data} as data
    from ${from} where ${where} and (${of}.account_id, ${event}) in (select account_id, event from wanted_events)`;
  return order === undefined ? rows : `(${rows} order by ${order})`;
}
