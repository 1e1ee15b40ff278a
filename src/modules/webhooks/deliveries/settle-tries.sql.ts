/** The statement of the batch *settle tries*. */
import { after, telling } from '../../../db/statements/order.sql.ts';
import { records, retoldIds, rowsWithout, toldIds } from '../../../db/statements/records.ts';
import { typed } from '../../../db/statements/sql-types.ts';
import { statement } from '../../../db/statements/statement.ts';
import type { EndpointStatus } from '../endpoints/webhook-endpoint.entity.ts';
import { EVENT_CHANNEL, TRY_CHANNEL } from '../events/announce-webhooks.ts';
import type { DeliveryStatus } from './webhook-delivery.entity.ts';
import { WebhookTry } from './webhook-try.entity.ts';

/** An endpoint that nothing but fails is disabled after this many hours, and no fewer failures than these (contract §7). */
const FAILING_HOURS = 120;
const FAILURES_MIN = 20;

/** The columns that a try brings: `created_at`, the time when it was over, is by the database's clock. */
const TRIES = rowsWithout(WebhookTry, 'createdAt');

/**
 * Settles tries, and answers those whose delivery is not `delivered` now or whose endpoint may have changed. Its commit does not wait for the disk: if
 * the server dies at that moment, the settled deliveries are made once more.
 */
export const SETTLE_TRIES = statement('settle tries', {
  takes: {
    tries: TRIES,
    /** Of those that did not just succeed, in any order. */
    verdicts: records('id uuid, step int, is_aside boolean, retry_seconds float8?, opens_circuit boolean'),
    deliveries: 'uuid[]',
    lowestDelivery: 'uuid?',
    highestDelivery: 'uuid?',
    circuitOpenSeconds: 'int',
    told: toldIds,
    /** Those of `deliveries` whose events, `retold`, who follows events is told of once more. */
    retoldDeliveries: 'uuid[]',
    retold: retoldIds,
  },
  gives: {
    id: 'uuid',
    delivery: typed<DeliveryStatus | null>('text'),
    endpoint: typed<EndpointStatus | null>('text'),
    is_disabled_now: 'boolean',
  },
  sql: p => `
  with results as materialized (
    select r.*, v.step, coalesce(v.is_aside, false) as is_aside, v.retry_seconds, coalesce(v.opens_circuit, false) as opens_circuit
    from ${p.tries('r')} left join ${p.verdicts('v')} on v.id = r.id
    order by r.delivery_id
  ), tallies as materialized (
    select endpoint_id, count(*) filter (where error is not null) as failures, bool_or(error is null) as has_success,
      bool_or(error is null and is_aside) as is_asideed,
      bool_or(http_status = 410) as is_gone, bool_or(opens_circuit) as opens_circuit
    -- A test that succeeds shows that the endpoint is there.
    from results where not is_aside or error is null group by endpoint_id
  ), failing as materialized (
    -- Before their deliveries, as a redelivery does, and in one order, as a worker renews its leases.
    select e.id from tallies t join webhook_endpoints e on e.id = t.endpoint_id
    where t.failures > 0 or e.failing_since is not null or e.circuit_open_until is not null
    order by e.id for no key update of e
  ), settled as (
    update webhook_deliveries d
    -- A delivery at another step was begun again meanwhile: a failure leaves it due as that says.
    set status = case when r.error is null then 'delivered' when d.step = r.step and r.retry_seconds is null then 'dead' else 'pending' end,
        tries = d.tries + 1, step = case when d.step <> r.step then d.step else d.step + 1 end,
        deaths = 0, tried_by = null, http_status = r.http_status, error = r.error,
        next_try_at = case when d.step <> r.step then d.next_try_at else clock_timestamp() + make_interval(secs => r.retry_seconds) end,
        finished_at = case when d.step <> r.step then null when r.retry_seconds is null then clock_timestamp() end,
        tells_again = d.tells_again and d.id <> all(${p.retoldDeliveries})
    from results r
    where d.id = r.delivery_id and case when r.error is null then d.status <> 'delivered' else d.status = 'pending' and d.tries = r.number - 1 end
      and d.id = any(${p.deliveries}) and d.id between ${p.lowestDelivery} and ${p.highestDelivery} and ${after('failing')}
    returning d.id, d.status
  ), kept as (
    insert into webhook_tries (${TRIES.columns}, created_at) select ${TRIES.columns}, clock_timestamp() from results
  ), counted as (
    update webhook_endpoints e
    set failures = case when t.has_success then 0 else e.failures + t.failures end,
        failing_since = case when t.has_success then null else coalesce(e.failing_since, clock_timestamp()) end,
        circuit_open_until = case
          when t.opens_circuit then clock_timestamp() + make_interval(secs => ${p.circuitOpenSeconds})
          -- What was under way when it opened does not close it: the probe does, or a test.
          when t.is_asideed or t.has_success and e.circuit_open_until <= clock_timestamp() then null
          else e.circuit_open_until end,
        (status, disabled_reason, disabled_at) = (
          select case when reason is null then e.status else 'disabled' end, coalesce(reason, e.disabled_reason),
            case when reason is null then e.disabled_at else clock_timestamp() end
          from (select case
            when e.status = 'disabled' then null
            when t.is_gone then 'gone'
            when not t.has_success and e.failures + t.failures >= ${FAILURES_MIN}
              and e.failing_since <= clock_timestamp() - interval '${FAILING_HOURS} hours' then 'failing' end as reason) judgement)
    from tallies t join failing f on f.id = t.endpoint_id
    where e.id = f.id
    returning e.id, e.status, e.status = 'disabled' and e.disabled_at >= statement_timestamp() as is_disabled_now
  )
  select r.id, s.status as delivery, c.status as endpoint, coalesce(c.is_disabled_now, false) as is_disabled_now
  from results r left join settled s on s.id = r.delivery_id left join counted c on c.id = r.endpoint_id
  where (s.status is distinct from 'delivered' or c.status is not null)
    and (select set_config('synchronous_commit', 'off', true)) is not null
    and ${telling(TRY_CHANNEL, p.told)} and ${telling(EVENT_CHANNEL, p.retold)}`,
});
