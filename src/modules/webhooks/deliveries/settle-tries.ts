/**
 * The batch *settle tries*: what became of tries, in one statement for those of any number of endpoints — the deliveries, a row for each
 * try, and the endpoints that fail or recover. A result that comes too late (another worker has tried it since) is kept as a try;
 * only a success still counts. What waits for an endpoint that is disabled here is given up by the next look (`take-endpoints.ts`).
 */
import { type Apply, defineStatementBatch } from '../../../db/batch.ts';
import { idPayloads } from '../../../db/statements/id-payloads.ts';
import { asJson, runSql, type Sql } from '../../../db/statements/sql.ts';
import { toUuid } from '../../../kernel/ids.ts';
import type { EndpointStatus } from '../endpoints/webhook-endpoint.entity.ts';
import { TRY_CHANNEL } from '../events/announce-webhooks.ts';
import { CIRCUIT_OPEN_SECONDS } from './retry.policy.ts';
import type { DeliveryStatus } from './webhook-delivery.entity.ts';

/** What became of a try. */
export interface TryItem {
  readonly tryId: string;
  readonly accountId: string;
  readonly endpointId: string;
  readonly deliveryId: string;
  readonly isTest: boolean;
  readonly number: number;
  readonly httpStatus: number | null;
  readonly durationMs: number;
  /** Why it failed, in a word and in a sentence; null: it did not. */
  readonly error: string | null;
  readonly errorMessage: string | null;
  readonly response: string | null;
  /** Seconds until the next try; null: there is none. */
  readonly retrySeconds: number | null;
  /** Whether the endpoint's breaker opens. */
  readonly opensCircuit: boolean;
}

/** What follows from it. */
export interface SettledTry {
  /** Where the delivery stands; null: another worker had it settled. */
  readonly delivery: DeliveryStatus | null;
  /** How the endpoint stands where that may have changed; null: it is as it was. */
  readonly endpoint: EndpointStatus | null;
  /** Whether this statement disabled the endpoint; of the tries to one endpoint the first says so. */
  readonly isDisabledNow: boolean;
}

/** An endpoint that nothing but fails is disabled after this many hours, and no fewer failures than these (contract §7). */
const FAILING_HOURS = 120;
const FAILURES_MIN = 20;

/** Settles a try. @throws AppError `database_unavailable`. */
export const settleTry = defineStatementBatch<TryItem, SettledTry>('settle tries', applySettle);

/**
 * Its commit does not wait for the disk: where the server itself dies at that moment, what was settled is delivered once more.
 * Parameters: the tries; their deliveries, the lowest and the highest of them; seconds that a breaker is open; payloads that name the tries.
 */
const SETTLE = `
  with results as materialized (
    select * from json_to_recordset($1::json) as r(id uuid, account_id uuid, endpoint_id uuid, delivery_id uuid, is_test boolean,
      number int, http_status int, duration_ms int, error text, error_message text, response text, retry_seconds float8,
      opens_circuit boolean)
  ), settled as (
    update webhook_deliveries d
    set status = case when r.error is null then 'delivered' when r.retry_seconds is null then 'dead' else 'pending' end,
        tries = d.tries + 1, step = d.step + 1, deaths = 0, tried_by = null, http_status = r.http_status, error = r.error,
        next_try_at = clock_timestamp() + make_interval(secs => r.retry_seconds),
        finished_at = case when r.retry_seconds is null then clock_timestamp() end
    from results r
    where d.id = r.delivery_id and case when r.error is null then d.status <> 'delivered' else d.status = 'pending' and d.tries = r.number - 1 end
      and d.id = any($2::uuid[]) and d.id between $3::uuid and $4::uuid
    returning d.id, d.status
  ), kept as (
    insert into webhook_tries (id, account_id, endpoint_id, delivery_id, number, http_status, duration_ms, error, error_message,
      response, created_at)
    select id, account_id, endpoint_id, delivery_id, number, http_status, duration_ms, error, error_message, response, clock_timestamp()
    from results
  ), tallies as materialized (
    select endpoint_id, count(*) filter (where error is not null) as failures, bool_or(error is null) as has_success,
      bool_or(error is null and is_test) as is_tested,
      bool_or(http_status = 410) as is_gone, bool_or(opens_circuit) as opens_circuit
    -- A test that fails says nothing of what happens; one that succeeds shows that the endpoint is there.
    from results where not is_test or error is null group by endpoint_id
  ), judged as (
    update webhook_endpoints e
    set failures = case when t.has_success then 0 else e.failures + t.failures end,
        failing_since = case when t.has_success then null else coalesce(e.failing_since, clock_timestamp()) end,
        circuit_open_until = case
          when t.opens_circuit then clock_timestamp() + make_interval(secs => $5::int)
          -- What was under way when it opened does not close it: the probe does, or a test.
          when t.is_tested or t.has_success and e.circuit_open_until <= clock_timestamp() then null
          else e.circuit_open_until end,
        (status, disabled_reason, disabled_at) = (
          select case when reason is null then e.status else 'disabled' end, coalesce(reason, e.disabled_reason),
            case when reason is null then e.disabled_at else clock_timestamp() end
          from (select case
            when e.status = 'disabled' then null
            when t.is_gone then 'gone'
            when not t.has_success and e.failures + t.failures >= ${FAILURES_MIN}
              and e.failing_since <= clock_timestamp() - interval '${FAILING_HOURS} hours' then 'failing' end as reason) judgement)
    from tallies t
    where e.id = t.endpoint_id and (t.failures > 0 or e.failing_since is not null or e.circuit_open_until is not null)
    returning e.id, e.status, e.status = 'disabled' and e.disabled_at >= statement_timestamp() as is_disabled_now
  )
  select r.id, s.status as delivery, j.status as endpoint, coalesce(j.is_disabled_now, false) as is_disabled_now
  from results r left join settled s on s.id = r.delivery_id left join judged j on j.id = r.endpoint_id
  where set_config('synchronous_commit', 'off', true) is not null
    and (select count(pg_notify('${TRY_CHANNEL}', payload)) from json_array_elements_text($6::json) as r(payload)) >= 0`;

interface SettledRow {
  id: string;
  delivery: DeliveryStatus | null;
  endpoint: EndpointStatus | null;
  is_disabled_now: boolean;
}

async function applySettle(sql: Sql, items: readonly TryItem[]): ReturnType<Apply<TryItem, SettledTry>> {
  const deliveries = items.map(item => toUuid(item.deliveryId)).sort();
  const rows = await runSql<SettledRow>(sql, SETTLE, [
    asJson(items.map(tryRow)),
    deliveries,
    deliveries[0],
    deliveries.at(-1),
    CIRCUIT_OPEN_SECONDS,
    JSON.stringify(idPayloads(items.map(item => toUuid(item.tryId)))),
  ]);
  const byTry = new Map(rows.map(row => [row.id, row]));
  const disabled = new Set<string>();
  return items.map(item => {
    const row = byTry.get(toUuid(item.tryId));
    if (!row) return new Error('a try was not settled');
    const isDisabledNow = row.is_disabled_now && !disabled.has(item.endpointId);
    if (isDisabledNow) disabled.add(item.endpointId);
    return { delivery: row.delivery, endpoint: row.endpoint, isDisabledNow };
  });
}

function tryRow(item: TryItem): object {
  return {
    id: toUuid(item.tryId),
    account_id: toUuid(item.accountId),
    endpoint_id: toUuid(item.endpointId),
    delivery_id: toUuid(item.deliveryId),
    is_test: item.isTest,
    number: item.number,
    http_status: item.httpStatus,
    duration_ms: item.durationMs,
    error: item.error,
    error_message: item.errorMessage,
    response: item.response,
    retry_seconds: item.retrySeconds,
    opens_circuit: item.opensCircuit,
  };
}
