/** The statements of redeliveries. */
import { statement } from '../../../db/statements/statement.ts';

/** How many deliveries of an endpoint are begun again a second: what an endpoint missed must not knock it over. */
const RATE = 50;

/** Restarts a delivery, unless its endpoint is disabled or gone. */
export const RESTART_DELIVERY = statement('restart delivery', {
  takes: { id: 'uuid' },
  gives: { id: 'uuid' },
  sql: p => `
  update webhook_deliveries d
  set step = case when d.status = 'pending' then d.step else 0 end,
      deaths = case when d.status = 'pending' then d.deaths else 0 end, status = 'pending', next_try_at = clock_timestamp(),
      error = null, finished_at = null, tells_again = true
  from webhook_endpoints e
  where d.id = ${p.id} and e.id = d.endpoint_id and e.status <> 'disabled' returning d.id`,
});

/** The time, as text with all its digits. */
export const READ_CLOCK = statement('read clock', {
  gives: { before: 'text' },
  sql: () => 'select clock_timestamp()::text as before',
});

/** The choice of the deliveries that a redelivery means. */
const MEANT = {
  endpoint: 'uuid',
  /** The status of a delivery that is over, or `missed`: dead, or waiting for another try. */
  status: 'text',
  event: 'text?',
  from: 'timestamptz?',
  to: 'timestamptz?',
  // The range of ids that `from` and `to` allow.
  lowestId: 'uuid?',
  idEnd: 'uuid?',
  /** Deliveries that were over later are not meant. */
  before: 'timestamptz',
  after: 'uuid?',
} as const;

/** Whether a delivery `d` is meant. Each status stands by itself, so that the planner takes the index of those that are dead, or pending. */
const isMeant = (p: Readonly<Record<keyof typeof MEANT, string>>): string =>
  `d.endpoint_id = ${p.endpoint} and not d.is_test and (${p.event} is null or d.event = ${p.event})
  and (${p.from} is null or d.created_at >= ${p.from}) and (${p.to} is null or d.created_at < ${p.to})
  and (${p.lowestId} is null or d.id >= ${p.lowestId}) and (${p.idEnd} is null or d.id < ${p.idEnd}) and (${p.after} is null or d.id > ${p.after})
  and (d.status = 'pending' and ${p.status} = 'missed' and d.step > 0
    or d.status = 'dead' and ${p.status} in ('dead', 'missed') and d.finished_at < ${p.before}
    or d.status = 'delivered' and ${p.status} = 'delivered' and d.finished_at < ${p.before})`;

/** How many deliveries are meant. */
export const COUNT_MEANT = statement('count meant deliveries', {
  takes: MEANT,
  gives: { count: 'int' },
  sql: p => `select count(*)::int as count from webhook_deliveries d where ${isMeant(p)}`,
});

/** Restarts a chunk of those that are meant, each a part of a second after the one before; `last`: where the next chunk goes on. */
export const RESTART_MEANT = statement('restart meant deliveries', {
  takes: { ...MEANT, limit: 'int' },
  gives: { count: 'int', last: 'text?' },
  sql: p => `
  with begins as materialized (
    select greatest(clock_timestamp(), (
      select max(d.next_try_at) from webhook_deliveries d
      where d.endpoint_id = ${p.endpoint} and d.status = 'pending' and d.step = 0 and not d.is_test)) as at
  ), meant as materialized (
    select d.id from webhook_deliveries d where ${isMeant(p)} order by d.id limit ${p.limit} for update
  ), restarted as (
    update webhook_deliveries d
    set status = 'pending', step = 0, deaths = case when d.status = 'pending' then d.deaths else 0 end, error = null, finished_at = null,
        tells_again = true,
        next_try_at = begins.at + (array_position(array(select id from meant order by id), d.id) - 1) * make_interval(secs => 1.0 / ${RATE})
    from begins
    where d.id = any(array(select id from meant))
      and d.id between (select min(id::text)::uuid from meant) and (select max(id::text)::uuid from meant)
    returning 1
  )
  select count(*)::int as count, (select max(id::text) from meant) as last from restarted`,
});
