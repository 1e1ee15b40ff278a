/** The statements of texts in several parts. */

import type { Receipt } from '../../../channels/contract.ts';
import { records } from '../../../db/statements/records.ts';
import { typed } from '../../../db/statements/sql-types.ts';
import { statement } from '../../../db/statements/statement.ts';
import { rankOf } from './status-rank.sql.ts';

/** Stores parts. An id that an SMSC gives again is that of the newer text. */
export const KEEP_PARTS = statement('keep parts', {
  takes: { parts: records('connection_id uuid, part_id text, attempt_id uuid') },
  sql: p => `insert into attempt_parts (connection_id, part_id, attempt_id, created_at)
    select distinct on (connection_id, part_id) connection_id, part_id, attempt_id, clock_timestamp() from ${p.parts('r')}
    order by connection_id, part_id, attempt_id desc
    on conflict (connection_id, part_id) do update
      set attempt_id = excluded.attempt_id, status = null, created_at = excluded.created_at`,
});

/**
 * Whether the part `t` has its id still: the provider gave it to no newer text since. A text of one part has no row here. Each look goes by the index of
 * the provider's ids, whatever the planner believes.
 */
export const hasItsId = (t: string): string => `not exists (select from (
      select a.id from attempts a where a.provider_message_id = ${t}.part_id and a.connection_id is not distinct from ${t}.connection_id offset 0
    ) n where n.id > ${t}.attempt_id)`;

/**
 * Stores reports of parts, and answers for each what is true of its whole text now. A text is delivered when all of its parts are, else failed as
 * soon as one is. Locks the other parts of the same texts first, so that of the last two reports one sees both. Reports of no part are left out.
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
    select distinct on (r.connection_id, r.part_id) r.* from ${p.reported('r')} join attempt_parts t using (connection_id, part_id)
    where ${hasItsId('t')} order by r.connection_id, r.part_id, ${rankOf('r.status')} desc
  ), named as (
    select distinct attempt_id from attempt_parts t join reported r using (connection_id, part_id)
  ), locked as materialized (
    select * from attempt_parts where attempt_id in (select attempt_id from named) order by connection_id, part_id for update
  ), now_known as materialized (
    select l.connection_id, l.part_id, l.attempt_id, r.part_id is not null as is_reported,
      case when ${rankOf('r.status')} > ${rankOf('l.status')} then r.status else l.status end as status
    from locked l left join reported r using (connection_id, part_id)
  ), raised as (
    update attempt_parts t set status = n.status from now_known n
    where t.connection_id = n.connection_id and t.part_id = n.part_id and n.is_reported and t.status is distinct from n.status
  )
  select n.connection_id, n.part_id, n.attempt_id, case
      when w.all_arrived then 'delivered' when w.failed is not null then w.failed when n.status = 'sent' then 'sent' end as whole
  from now_known n join (
    select attempt_id, min(status) filter (where status in ('failed', 'expired')) as failed,
      bool_and(coalesce(status in ('delivered', 'read'), false)) as all_arrived
    from now_known group by attempt_id
  ) w using (attempt_id)
  where n.is_reported`,
});
