/** What a connection delivered, by country: read from the attempts that went by it. */
import type { Ctx } from '../../context.ts';
import { type Answer, statement } from '../../db/statements/statement.ts';
import { toUuid, uuidFloor } from '../../kernel/ids.ts';
import type { Connection } from './connection.entity.ts';

const COUNT_DELIVERIES = statement('count deliveries', {
  takes: { connection: 'uuid', from: 'uuid' },
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
  from attempts where connection_id = ${p.connection} and id >= ${p.from}
  group by country order by count(*) desc, country`,
});

/** What went by a connection to one country. */
export type ConnectionFigures = Answer<typeof COUNT_DELIVERIES>;

/** What went by a connection since a number of hours, by country, the most first. */
export async function connectionFigures(
  { services: { database } }: Ctx,
  { id }: Pick<Connection, 'id'>,
  hours: number,
): Promise<ConnectionFigures[]> {
  const from = uuidFloor(new Date(await database.clock.in(-hours * 3_600_000)));
  return COUNT_DELIVERIES.run(database.sql(), { connection: toUuid(id), from });
}
