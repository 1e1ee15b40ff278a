/** The rate limits of tokens as they are kept, for tests of what a request is told that finds no room. */
import { toUuid } from '../../src/kernel/ids.ts';
import type { RunSql } from './otp/pins.ts';

/** Leaves no room in the buckets of an account's tokens that have asked before, for an hour. */
export async function emptyBuckets(sql: RunSql, accountId: string): Promise<void> {
  await sql(
    `update request_buckets set full_at = clock_timestamp() + interval '1 hour'
     where token_id in (select id from tokens where account_id = $1)`,
    [toUuid(accountId)],
  );
}
