/** The verb *follow sends*: the next channel goes out where the one that accepted did not deliver in its time. */
import type { Ctx } from '../../../context.ts';
import { IN_TIME_MS } from '../../../db/batch.ts';
import type { Database } from '../../../db/orm.ts';
import { rangedIds } from '../../../db/statements/ranged-ids.ts';
import type { Answer } from '../../../db/statements/statement.ts';
import { ROUND_SIZE, resumeTaken } from '../recovery/recover.ts';
import { unfinishedIds } from '../recovery/unfinished.ts';
import { LEASE_SECONDS } from '../send.ts';
import type { Resumable, SendKind } from '../send-kind.ts';
import type { SendTable } from '../settle.sql.ts';
import { FIND_DUE, TAKE_DUE } from './follow-ups.sql.ts';

/**
 * Takes the sends of a kind whose accepted channel had its time, by the database's clock, and makes the next attempt of each (contract §14). Answers how
 * many were taken.
 */
export function followSends<Kind extends Resumable>(ctx: Ctx, kind: SendKind<Kind>): Promise<number> {
  return resumeTaken(ctx, kind, () => takeDue(ctx.services.database, kind.table));
}

async function takeDue(database: Database, table: SendTable['table']): Promise<Answer<(typeof TAKE_DUE)['otps']>[]> {
  const [sql, but] = [database.sql(), unfinishedIds(database, table)];
  const due = await FIND_DUE[table].run(sql, { but, limit: ROUND_SIZE });
  if (due.length === 0) return [];
  return TAKE_DUE[table].run(sql, {
    ...rangedIds(due.map(row => row.send_id)),
    leaseSeconds: LEASE_SECONDS,
    by: await database.clock.in(IN_TIME_MS),
  });
}
