/** The statements of what the doctor says of the work. */
import { statement } from '../../db/statements/statement.ts';

/** How the endpoints stand. */
export const COUNT_ENDPOINTS = statement('count endpoints', {
  gives: { total: 'int', disabled: 'int', failing: 'int' },
  sql: () => `
  select count(*)::int as total, (count(*) filter (where status = 'disabled'))::int as disabled,
    (count(*) filter (where status = 'enabled' and failing_since < clock_timestamp() - interval '1 hour'))::int as failing
  from webhook_endpoints`,
});

/** The deliveries that are late by so many seconds, up to a limit. */
export const COUNT_LATE_DELIVERIES = statement('count late deliveries', {
  takes: { seconds: 'int', limit: 'int' },
  gives: { late: 'int' },
  sql: p => `
  select count(*)::int as late from (
    select 1 from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
    where d.status = 'pending' and d.next_try_at < clock_timestamp() - make_interval(secs => ${p.seconds})
      and e.status = 'enabled' and (e.circuit_open_until is null or e.circuit_open_until < clock_timestamp())
    limit ${p.limit}) late`,
});

/** The deliveries from an id on that were quarantined, up to a limit. */
export const COUNT_QUARANTINED = statement('count quarantined deliveries', {
  takes: { lowestId: 'uuid', limit: 'int' },
  gives: { count: 'int' },
  sql: p => `
  select count(*)::int as count from (
    select 1 from webhook_deliveries where status = 'dead' and error = 'quarantined' and id >= ${p.lowestId} limit ${p.limit}) q`,
});

/** The jobs that are late by so many seconds, and those that failed within a day, each up to a limit. */
export const COUNT_JOBS = statement('count jobs', {
  takes: { seconds: 'int', limit: 'int' },
  gives: { late: 'int', failed: 'int' },
  sql: p => `
  select
    (select count(*) from (select 1 from pgboss.job
        where state in ('created', 'retry') and start_after < now() - make_interval(secs => ${p.seconds}) and name not like '\\_\\_%'
        limit ${p.limit}) l)::int as late,
    (select count(*) from (select 1 from pgboss.job
        where state = 'failed' and completed_on > now() - interval '1 day' limit ${p.limit}) f)::int as failed`,
});
