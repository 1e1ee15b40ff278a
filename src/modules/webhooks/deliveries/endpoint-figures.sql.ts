/** The statements of how endpoints do: how fast they answer, and what waits for them. */
import { records } from '../../../db/statements/records.ts';
import { statement } from '../../../db/statements/statement.ts';

/** Counts of what waits stop here, so that a page never walks through a backlog. */
export const WAITING_MAX = 1_000;

/** How many deliveries wait for an endpoint, `WAITING_MAX` at most. @param endpoint its uuid, as SQL */
export const waitingSql = (endpoint: string): string =>
  `(select count(*)::int from (
    select from webhook_deliveries where endpoint_id = ${endpoint} and status = 'pending' limit ${WAITING_MAX}) waiting)`;

/** How many deliveries wait for each of these endpoints. */
export const COUNT_WAITING = statement('count waiting deliveries', {
  takes: { account: 'uuid', endpoints: 'uuid[]' },
  gives: { endpoint: 'uuid', waiting: 'int' },
  sql: p => `
  select e.id as endpoint, ${waitingSql('e.id')} as waiting
  from webhook_endpoints e where e.id = any(${p.endpoints}) and e.account_id = ${p.account}`,
});

/** The newest deliveries of endpoints, at most `limit` of each. */
export const LAST_DELIVERIES = statement('last deliveries', {
  takes: { account: 'uuid', endpoints: 'uuid[]', limit: 'int' },
  gives: { id: 'uuid', endpoint: 'uuid' },
  sql: p => `
  select d.id, e.id as endpoint from unnest(${p.endpoints}) e (id) cross join lateral (
    select id from webhook_deliveries
    where endpoint_id = e.id and account_id = ${p.account} order by id desc limit ${p.limit}) d`,
});

/** In how many milliseconds 95 % of the tries of deliveries were over, by endpoint. @param from the lowest id that a try of them can have */
export const P95_OF_TRIES = statement('p95 of tries', {
  takes: { deliveries: records('id uuid, endpoint uuid'), from: 'uuid' },
  gives: { endpoint: 'uuid', p95: 'int' },
  sql: p => `
  select d.endpoint, percentile_disc(0.95) within group (order by t.duration_ms)::int as p95
  from ${p.deliveries('d')} join webhook_tries t on t.delivery_id = d.id and t.id >= ${p.from} group by d.endpoint`,
});
