/** The statement of the figures of a connection. */
import { statement } from '../../db/statements/statement.ts';

/** Counts by country the newest attempts by a connection since an id. A limit bounds the rows, which are visited one by one. */
export const COUNT_DELIVERIES = statement('count deliveries', {
  takes: { connection: 'uuid', from: 'uuid', newest: 'int' },
  gives: {
    country: 'text?',
    attempts: 'int',
    accepted: 'int',
    delivered: 'int',
    failed: 'int',
    unknown: 'int',
    median_ms: 'float8?',
    p95_ms: 'float8?',
  },
  sql: p => `
  select country, count(*)::int as attempts,
    count(*) filter (where status in ('sent', 'delivered', 'read'))::int as accepted,
    count(*) filter (where status in ('delivered', 'read'))::int as delivered,
    count(*) filter (where status in ('failed', 'expired'))::int as failed,
    count(*) filter (where status = 'unknown')::int as unknown,
    percentile_cont(0.5) within group (order by extract(epoch from finished_at - started_at)::float8 * 1000) as median_ms,
    percentile_cont(0.95) within group (order by extract(epoch from finished_at - started_at)::float8 * 1000) as p95_ms
  from (
    select * from attempts where connection_id = ${p.connection} and id >= ${p.from} and type <> 'inbound' order by id desc limit ${p.newest}
  ) a
  group by country order by count(*) desc, country`,
});
