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
    on conflict (account_id, recipient) where text_id is null do update
      set outcome = excluded.outcome, delay_seconds = excluded.delay_seconds, created_at = excluded.created_at`,
});

/** Gives each order that waits to the first of these texts that came after it, and answers the orders of all of them: a repeat answers the same. */
export const TAKE_ORDERS = statement('take orders', {
  takes: { texts: 'uuid[]' },
  gives: { text_id: 'uuid', outcome: typed<Receipt['status'] | null>('text'), delay_seconds: 'int' },
  sql: p => `
  with taken as (
    update sandbox_orders o set text_id = t.id
    from (
      select distinct on (w.id) w.id as order_id, s.id from sandbox_orders w
      join sandbox_messages s on s.account_id = w.account_id and s.recipient = w.recipient and s.created_at >= w.created_at
      where w.text_id is null and s.id = any(${p.texts}) order by w.id, s.id
    ) t
    where o.id = t.order_id and o.text_id is null
    returning o.text_id, o.outcome, o.delay_seconds
  )
  select text_id, outcome, delay_seconds from taken
  union all
  select text_id, outcome, delay_seconds from sandbox_orders where text_id = any(${p.texts})`,
});
