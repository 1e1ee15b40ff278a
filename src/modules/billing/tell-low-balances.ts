/** The verb *tell low balances*: the event `balance.low`, and a warning in the log, of balances that have fallen below their threshold. */
import type { Ctx } from '../../context.ts';
import { timeSql } from '../../db/statements/json.sql.ts';
import { runSql } from '../../db/statements/sql.ts';
import { fromUuid } from '../../kernel/ids.ts';
import { ANNOUNCE_EVENTS, eventCtes } from '../webhooks/events/record-events.sql.ts';

/** How many accounts one statement tells of. */
const CHUNK_SIZE = 200;

interface LowBalance {
  id: string;
  credits: number;
  threshold: number;
}

/**
 * The mark of an account says that its balance is low and nobody was told; the statement takes it away as it writes the event, so each fall is told once,
 * by whichever worker comes first. It waits for an account that a send has in hand instead of passing it over: a busy account
 * nearly always is.
 */
const TELL = `
  with unmarked as materialized (
    select id from accounts where low_balance_untold order by id limit $1 for no key update
  ), low as (
    update accounts a set low_balance_untold = false from unmarked u
    where a.id = u.id and a.low_balance_untold
    returning a.id as account_id, a.credits, a.low_balance_threshold as threshold, a.low_balance_since as since
  ), ${eventCtes('(select array_agg(id) from unmarked)::uuid[]', [
    {
      from: 'low',
      where: 'true',
      of: 'low',
      events: { 'balance.low': 'true' },
      data: `json_build_object('credits', low.credits, 'threshold', low.threshold, 'since', ${timeSql('low.since')})`,
    },
  ])}
  select account_id as id, credits, threshold from low where ${ANNOUNCE_EVENTS}`;

/** Tells of every balance that became low since the last time, and answers how many there were. */
export async function tellLowBalances(ctx: Ctx): Promise<number> {
  const sql = ctx.services.database.sql();
  for (let total = 0; ; ) {
    const rows = await runSql<LowBalance>(sql, TELL, [CHUNK_SIZE]);
    for (const { id, credits, threshold } of rows)
      ctx.log.warn({ accountId: fromUuid('acc', id), credits, threshold }, 'the balance of an account is low');
    total += rows.length;
    if (rows.length < CHUNK_SIZE) return total;
  }
}
