/** The statements of limits that providers set. */
import { statement } from '../../../db/statements/statement.ts';
import { uuid7FloorOf } from '../../../db/statements/uuid7.sql.ts';
import { GOOD_STATUSES } from '../../webhooks/events/event-data.sql.ts';

/** The part of the reach from which on a look is needed. */
const LOW_PART = 0.8;

/** Stores the limits of a connection, and how much of them its business has used by these connections. */
export const KEEP_QUOTA = statement('keep quota', {
  takes: { connection: 'uuid', quality: 'text?', reach: 'int?', business: 'uuid[]' },
  sql: p => `
  with counted as materialized (
    select count(distinct a.recipient)::int as used from unnest(${p.business}) c(id) cross join lateral (
      select recipient from attempts where connection_id = c.id and id >= (select ${uuid7FloorOf(`clock_timestamp() - interval '24 hours'`)})
        and status in ${GOOD_STATUSES}) a
  ), judged as (
    select used, coalesce(${p.quality} = 'red' or used >= ${LOW_PART} * ${p.reach}, false) as is_low from counted
  )
  insert into connection_quotas as q (connection_id, quality, reach, used, read_at, low_since)
  select ${p.connection}, ${p.quality}, ${p.reach}, used, clock_timestamp(), case when is_low then clock_timestamp() end from judged
  on conflict (connection_id) do update set quality = excluded.quality, reach = excluded.reach, used = excluded.used, read_at = excluded.read_at,
    low_since = case when excluded.low_since is not null then coalesce(q.low_since, excluded.low_since) end`,
});
