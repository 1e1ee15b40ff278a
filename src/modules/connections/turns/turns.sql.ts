/** The statement that gives out turns. */
import { records } from '../../../db/statements/records.ts';
import { statement } from '../../../db/statements/statement.ts';

/**
 * Takes turns of numbers, one after the other. Answers when the first of them is, and how long it is off; none of a number whose next one is too far off.
 * Those that would end after the reach are left to later claims.
 */
export const TAKE_TURNS = statement('take turns', {
  takes: { claims: records('number text, taken_ms float8'), patienceMs: 'float8', reachMs: 'float8' },
  gives: { number: 'text', at_ms: 'float8', wait_ms: 'float8' },
  sql: p => `
  insert into number_turns as t (number, taken_ms, next_at)
  select number, least(taken_ms, ${p.reachMs}), clock_timestamp() + least(taken_ms, ${p.reachMs}) * interval '1 ms' from ${p.claims('c')} order by number
  on conflict (number) do update
    set taken_ms = least(excluded.taken_ms, ${p.reachMs} - greatest(0, (extract(epoch from t.next_at - clock_timestamp()) * 1000)::float8)),
      next_at = least(greatest(t.next_at, clock_timestamp()) + excluded.taken_ms * interval '1 ms', clock_timestamp() + ${p.reachMs} * interval '1 ms')
    where t.next_at < clock_timestamp() + ${p.patienceMs} * interval '1 ms'
  returning number, (extract(epoch from next_at) * 1000)::float8 - taken_ms as at_ms,
    (extract(epoch from next_at - clock_timestamp()) * 1000)::float8 - taken_ms as wait_ms`,
});
