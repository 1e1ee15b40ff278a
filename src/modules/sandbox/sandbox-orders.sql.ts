/** The statements of what phones of the sandbox get, and are told to report. */
import type { Receipt } from '../../channels/contract.ts';
import { rowsWithout } from '../../db/statements/records.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';
import { UUID7 } from '../../db/statements/uuid7.sql.ts';
import { SandboxMessage } from './sandbox-message.entity.ts';

// When it came, the database's clock says.
const ARRIVALS = rowsWithout(SandboxMessage, 'createdAt');

/** Stores texts, and says whether any phone is told what to report, which is rare: else nobody looks for it. */
export const KEEP_ARRIVALS = statement('keep arrivals', {
  takes: { arrivals: ARRIVALS },
  gives: { has_orders: 'boolean' },
  sql: p => `
  with kept as (
    insert into sandbox_messages (${ARRIVALS.columns}, created_at) select ${ARRIVALS.columns}, now() from ${p.arrivals('r')}
  )
  select exists (select from sandbox_orders) as has_orders`,
});

/** Says what the next text to a phone is reported as, in the place of what was said before. */
export const ORDER_NEXT = statement('order the next receipt', {
  takes: { account: 'uuid', recipient: 'text', outcome: 'text?', delaySeconds: 'int' },
  sql: p => `insert into sandbox_orders (id, account_id, recipient, outcome, delay_seconds, created_at)
    values (${UUID7}, ${p.account}, ${p.recipient}, ${p.outcome}, ${p.delaySeconds}, clock_timestamp())
    on conflict (account_id, recipient) do update
      set outcome = excluded.outcome, delay_seconds = excluded.delay_seconds, created_at = excluded.created_at`,
});

/** Gives each order that waits to the first of these texts that came after it, and ends it. */
export const TAKE_ORDERS = statement('take orders', {
  takes: { texts: 'uuid[]' },
  gives: { text_id: 'uuid', outcome: typed<Receipt['status'] | null>('text'), delay_seconds: 'int' },
  sql: p => `
  with due as materialized (
    select distinct on (w.id) w.id, s.id as text_id from sandbox_orders w
    join sandbox_messages s on s.account_id = w.account_id and s.recipient = w.recipient and s.created_at >= w.created_at
    where s.id = any(${p.texts}) order by w.id, s.id
  ), locked as materialized (
    -- Another process may have the next texts of the same phones.
    select id from sandbox_orders where id in (select id from due) order by id for update
  )
  delete from sandbox_orders o using due, locked where o.id = due.id and o.id = locked.id
  returning due.text_id, o.outcome, o.delay_seconds`,
});
