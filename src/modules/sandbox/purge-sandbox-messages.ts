/** The verb *purge sandbox messages*: an account keeps its newest 1,000 messages, for 24 hours (contract §9). */
import type { Ctx } from '../../context.ts';
import { runSql, type Sql } from '../../db/statements/sql.ts';
import { uuidFloor } from '../../kernel/ids.ts';
import { SANDBOX_KEPT_MAX } from './list-sandbox-messages.ts';

/** How long a message is kept. */
const KEPT_HOURS = 24;

/** Rows per statement, to keep locks short. */
const CHUNK_SIZE = 5_000;

/** Deletes messages that are too old (by the database's clock) or beyond the newest 1,000. Answers how many. */
export async function purgeSandboxMessages(ctx: Ctx): Promise<number> {
  const sql = ctx.services.database.sql();
  let total = await purgeOld(sql);
  for (const { account_id: accountId, oldest_kept: oldestKept } of await findCrowded(sql)) {
    total += await deleteInChunks(
      sql,
      'select id from sandbox_messages where account_id = $2::uuid and id < $3::uuid order by id limit $1',
      [accountId, oldestKept],
    );
  }
  return total;
}

/** Ids hold the time, so the primary key finds old rows; `created_at` has no index. */
async function purgeOld(sql: Sql): Promise<number> {
  const [clock] = await runSql<{ cutoff_ms: number }>(
    sql,
    `select (extract(epoch from now() - make_interval(hours => $1::int)) * 1000)::float8 as cutoff_ms`,
    [KEPT_HOURS],
  );
  if (!clock) throw new Error('the database told no time');
  return deleteInChunks(sql, 'select id from sandbox_messages where id < $2::uuid order by id limit $1', [
    uuidFloor(new Date(Math.floor(clock.cutoff_ms))),
  ]);
}

/**
 * Accounts above the limit, with the oldest id that each keeps. The recursion skips from account to account in the
 * index.
 */
async function findCrowded(sql: Sql): Promise<{ account_id: string; oldest_kept: string }[]> {
  return runSql(
    sql,
    `with recursive owners as (
       (select account_id from sandbox_messages order by account_id limit 1)
       union all
       select (select s.account_id from sandbox_messages s where s.account_id > o.account_id order by s.account_id limit 1)
       from owners o where o.account_id is not null
     )
     select o.account_id, kept.id as oldest_kept
     from owners o
     cross join lateral (
       select s.id from sandbox_messages s where s.account_id = o.account_id order by s.id desc offset $1::int limit 1
     ) kept`,
    [SANDBOX_KEPT_MAX - 1],
  );
}

async function deleteInChunks(sql: Sql, which: string, parameters: readonly string[]): Promise<number> {
  for (let total = 0; ; ) {
    const [row] = await runSql<{ count: number }>(
      sql,
      `with deleted as (delete from sandbox_messages where id in (${which}) returning 1)
       select count(*)::int as count from deleted`,
      [CHUNK_SIZE, ...parameters],
    );
    const count = row?.count ?? 0;
    total += count;
    if (count < CHUNK_SIZE) return total;
  }
}
