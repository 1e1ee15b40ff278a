/** The statements of what phones of the sandbox are told to report. */
import type { Receipt } from '../../channels/contract.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';
import { UUID7 } from '../../db/statements/uuid7.sql.ts';

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
