/** The statements of texts in several parts. */

import type { Receipt } from '../../../channels/contract.ts';
import { records } from '../../../db/statements/records.ts';
import { typed } from '../../../db/statements/sql-types.ts';
import { statement } from '../../../db/statements/statement.ts';

/** Stores parts. A provider that gives an id twice keeps the first of them. */
export const KEEP_PARTS = statement('keep parts', {
  takes: { parts: records('connection_id uuid, part_id text, attempt_id uuid') },
  sql: p => `insert into attempt_parts (connection_id, part_id, attempt_id, created_at)
    select connection_id, part_id, attempt_id, clock_timestamp() from ${p.parts('r')}
    on conflict do nothing`,
});

/**
 * Stores what was reported of parts, and answers those that are parts, each with what is true of its whole text now: it has failed as soon as one has,
 * and it is delivered when all are. Locks the other parts of the same texts first, so that of the last two reports one sees both.
 */
export const RAISE_PARTS = statement('raise parts', {
  takes: { reported: records('connection_id uuid, part_id text, status text') },
  gives: {
    connection_id: 'uuid',
    part_id: 'text',
    attempt_id: 'uuid',
    whole: typed<Receipt['status'] | null>('text'),
  },
  sql: p => `
  with reported as materialized (
    select distinct on (connection_id, part_id) * from ${p.reported('r')}
    order by connection_id, part_id, array_position(array['failed', 'expired', 'read', 'delivered', 'sent'], status)
  ), named as (
    select distinct attempt_id from attempt_parts t join reported r using (connection_id, part_id)
  ), locked as materialized (
    select * from attempt_parts where attempt_id in (select attempt_id from named) order by connection_id, part_id for update
  ), now_known as materialized (
    select l.connection_id, l.part_id, l.attempt_id,
      case when l.status in ('failed', 'expired') then l.status when r.status in ('sent') then coalesce(l.status, r.status)
        else coalesce(r.status, l.status) end as status,
      r.part_id is not null as is_reported
    from locked l left join reported r using (connection_id, part_id)
  ), raised as (
    update attempt_parts t set status = n.status from now_known n
    where t.connection_id = n.connection_id and t.part_id = n.part_id and n.is_reported and t.status is distinct from n.status
  )
  select n.connection_id, n.part_id, n.attempt_id, case
      when w.failed is not null then w.failed when w.all_arrived then 'delivered' when n.status = 'sent' then 'sent' end as whole
  from now_known n join (
    select attempt_id, min(status) filter (where status in ('failed', 'expired')) as failed,
      bool_and(coalesce(status in ('delivered', 'read'), false)) as all_arrived
    from now_known group by attempt_id
  ) w using (attempt_id)
  where n.is_reported`,
});
