/** The verb *purge OTPs*: forgets what OTPs, their limits and the decoy need no longer. The log of an account is never touched. */
import type { Ctx } from '../../context.ts';
import { runSql, type Sql } from '../../db/statements/sql.ts';
import { DECOY } from './verify/verify.sql.ts';

/** How many rows one statement deletes: few enough to be short, so that sends and verifies never wait for it. */
const CHUNK_SIZE = 5_000;

/** What one table need not keep, by the database's clock. */
interface Rule {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: string;
  readonly isOver: string;
}

/**
 * A recipient is counted for 24 hours, and its wrong codes come within an hour of the send that wrote its time; an address is counted
 * for five minutes. An older row is as good as none, and so is a bucket that is full. The fraud guard looks 14 days back.
 */
const RULES: readonly Rule[] = [
  { table: 'otps', key: 'id', isOver: `expires_at < now() - interval '24 hours' and id <> ${DECOY}` },
  {
    table: 'otp_recipients',
    key: 'account_id, recipient',
    isOver: `updated_at < now() - interval '26 hours' and account_id <> ${DECOY}`,
  },
  { table: 'otp_addresses', key: 'account_id, address', isOver: `updated_at < now() - interval '1 hour'` },
  { table: 'otp_traffic', key: 'account_id, place, hour', isOver: `hour < now() - interval '15 days'` },
  { table: 'request_buckets', key: 'token_id, kind', isOver: `full_at < now() - interval '1 day'` },
];

/** Old enough that nothing of its verify is under way. */
const DECOY_LOG_KEPT = `interval '5 minutes'`;

/**
 * Deletes what is over, in chunks that commit one by one, and answers how many rows. A row that a send or a verify has in hand is
 * left to the next run.
 */
export async function purgeOtps(ctx: Ctx): Promise<number> {
  const sql = ctx.services.database.sql();
  let total = 0;
  for (const rule of RULES) total += await inChunks(sql, purgeStatement(rule));
  total += await inChunks(sql, PURGE_DECOY_LOG);
  await runSql(sql, RESET_DECOY, []);
  return total;
}

function purgeStatement({ table, key, isOver }: Rule): string {
  return `with over as materialized (
      select ${key} from ${table} where ${isOver} limit $1 for update skip locked
    ), deleted as (
      delete from ${table} where (${key}) in (select ${key} from over) returning 1
    )
    select count(*)::int as count from deleted`;
}

/** Up to the id that ends the chunk: a range of the index of accounts, in whatever partitions there are. */
const PURGE_DECOY_LOG = `
  with bounds as materialized (
    select id from attempts where account_id = ${DECOY} and finished_at < now() - ${DECOY_LOG_KEPT} order by id limit $1
  ), deleted as (
    delete from attempts
    where account_id = ${DECOY} and finished_at < now() - ${DECOY_LOG_KEPT}
      and id <= (select id from bounds order by id desc limit 1)
    returning 1
  )
  select count(*)::int as count from deleted`;

/** Its guesses are counted like those at any other, and would run out after two billion. */
const RESET_DECOY = `
  update otps set attempts = 0
  where id in (select id from otps where id = ${DECOY} and attempts > 0 for update skip locked)`;

async function inChunks(sql: Sql, statement: string): Promise<number> {
  for (let total = 0; ; ) {
    const [row] = await runSql<{ count: number }>(sql, statement, [CHUNK_SIZE]);
    const count = row?.count ?? 0;
    total += count;
    if (count < CHUNK_SIZE) return total;
  }
}
