/** The verb *tell low balances*: the event `balance.low`, and a warning in the log, of balances that have fallen below their threshold. */
import type { Ctx } from '../../../context.ts';
import { fromUuid } from '../../../kernel/ids.ts';
import { LOW_UNTOLD, TELL_LOW_BALANCES } from '../../billing/balance.sql.ts';
import { forecastCredits } from './forecast.ts';

/** How many accounts one statement tells of. */
const CHUNK_SIZE = 200;

/** Tells of every balance that became low since the last time, with how long it lasts, and answers how many there were. */
export async function tellLowBalances(ctx: Ctx): Promise<number> {
  const sql = ctx.services.database.sql();
  for (let total = 0; ; ) {
    const untold = await LOW_UNTOLD.run(sql, { limit: CHUNK_SIZE });
    const forecasts = [];
    for (const { id, credits } of untold) {
      const account = { accountId: fromUuid('acc', id), credits };
      const { lastsDays } = await forecastCredits(sql, account, ctx.clock.now().getTime());
      forecasts.push({ account: id, lasts: lastsDays });
    }
    if (forecasts.length === 0) return total;
    const rows = await TELL_LOW_BALANCES.run(sql, { forecasts, accounts: forecasts.map(({ account }) => account) });
    for (const { id, credits, threshold, lasts } of rows)
      ctx.log.warn({ accountId: fromUuid('acc', id), credits, threshold, lasts }, 'the balance of an account is low');
    total += rows.length;
    if (untold.length < CHUNK_SIZE) return total;
  }
}
