/** The statement that gives out turns. */
import { records } from '../../../db/statements/records.ts';
import { statement } from '../../../db/statements/statement.ts';

/** Takes turns of connections, one after the other. Answers how long the first of them is off; none of a connection whose next one is too far off. */
export const TAKE_TURNS = statement('take turns', {
  takes: { claims: records('connection_id uuid, taken_ms float8'), patienceMs: 'float8' },
  gives: { connection_id: 'uuid', wait_ms: 'float8' },
  sql: p => `
  insert into connection_turns as t (connection_id, taken_ms, next_at)
  select connection_id, taken_ms, clock_timestamp() + taken_ms * interval '1 ms' from ${p.claims('c')} order by connection_id
  on conflict (connection_id) do update
    set taken_ms = excluded.taken_ms, next_at = greatest(t.next_at, clock_timestamp()) + excluded.taken_ms * interval '1 ms'
    where t.next_at < clock_timestamp() + ${p.patienceMs} * interval '1 ms'
  returning connection_id, (extract(epoch from next_at - clock_timestamp()) * 1000)::float8 - taken_ms as wait_ms`,
});
