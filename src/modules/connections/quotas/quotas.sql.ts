/** The statements of limits that providers set. */
import { statement } from '../../../db/statements/statement.ts';
import { uuid7FloorOf } from '../../../db/statements/uuid7.sql.ts';
import { GOOD_STATUSES } from '../../webhooks/events/event-data.sql.ts';

/** The part of the reach from which on a look is needed. */
const LOW_PART = 0.8;

/** Stores the limits of a connection. */
export const KEEP_QUOTA = statement('keep quota', {
  takes: { connection: 'uuid', quality: 'text?', reach: 'int?', businesses: 'text[]' },
  sql: p => `
  insert into connection_quotas as q (connection_id, quality, reach, business_ids, used, read_at)
  values (${p.connection}, ${p.quality}, ${p.reach}, ${p.businesses}, 0, clock_timestamp())
  on conflict (connection_id) do update set quality = excluded.quality, reach = excluded.reach, read_at = excluded.read_at,
    -- The portfolio of an account is known still where it is not told this time.
    business_ids = case when cardinality(excluded.business_ids) = 1 and q.business_ids[1] = excluded.business_ids[1]
      then q.business_ids else excluded.business_ids end`,
});

/** Counts how much of its limits the business of a connection has used by all of its connections, those that were removed too. */
export const COUNT_USED = statement('count used quota', {
  takes: { connection: 'uuid' },
  sql: p => `
  with counted as materialized (
    select count(distinct a.recipient)::int as used from connection_quotas own
      join connection_quotas mate on mate.connection_id = own.connection_id or mate.business_ids && own.business_ids
      cross join lateral (select recipient from attempts where connection_id = mate.connection_id
        and id >= (select ${uuid7FloorOf(`clock_timestamp() - interval '24 hours'`)}) and status in ${GOOD_STATUSES}) a
    where own.connection_id = ${p.connection}
  )
  update connection_quotas q set used = c.used, low_since =
    case when q.quality = 'red' or c.used >= ${LOW_PART} * q.reach then coalesce(q.low_since, clock_timestamp()) end
  from counted c where q.connection_id = ${p.connection}`,
});
