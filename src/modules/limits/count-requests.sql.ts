/** The statement that counts requests. */
import { records } from '../../db/statements/records.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';

/** A bucket of a token: `webhook-test` for tests of webhook endpoints and of alert rules, `requests` for all requests, these too. */
export type RequestKind = 'requests' | 'webhook-test';

/** How many of the asked places fit into `room`: the largest prefix sum of `sums`, or, without those, single requests. */
const fitting = (room: string): string => `case when sums is null then least(asked, ${room})
  else coalesce((select max(s::int) from json_array_elements_text(sums) s where s::int <= ${room}), 0) end`;

/**
 * Takes from each bucket, in a fixed order, as many requests as fit. The clock is read after the lock, so waiting does not count. The missing
 * part is capped by the quota, so a raised rate applies at once. A crash may lose the last counts: the restart takes longer than they.
 */
export const TAKE_PLACES = statement('take places', {
  takes: {
    asked: records('token_id uuid, kind text, quota int, seconds float8, asked int, sums json'),
    rounding: 'float8',
  },
  gives: { token_id: 'uuid', kind: typed<RequestKind>('text'), admitted: 'int', full_in: 'float8' },
  sql: p => `
  with asked as materialized (
    select * from ${p.asked('r')}
  ), unflushed as materialized (select set_config('synchronous_commit', 'off', true))
  insert into request_buckets as b (token_id, kind, full_at, admitted)
  select token_id, kind, clock_timestamp() + make_interval(secs => fitting * seconds), fitting
  from (select *, ${fitting('quota')} as fitting from asked) fitted, unflushed order by token_id, kind
  on conflict (token_id, kind) do update set (full_at, admitted) = (
    select now + make_interval(secs => missing + fitting * seconds), fitting
    from (
      select *, ${fitting('room')} as fitting
      from (
        select *, floor((quota * seconds - missing + ${p.rounding}) / seconds)::int as room
        from (
          select *, least(greatest(extract(epoch from b.full_at - now)::float8, 0), quota * seconds) as missing
          from (
            select *, clock_timestamp() as now from asked a
            where a.token_id = excluded.token_id and a.kind = excluded.kind
          ) timed
        ) measured
      ) roomy
    ) decided
  )
  returning token_id, kind, admitted, extract(epoch from full_at - clock_timestamp())::float8 as full_in`,
});
