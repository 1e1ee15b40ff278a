/** Writes an adjustment into the ledger: the way in which credits come into an account and leave it other than by sends. */
import { runSql, type Sql } from '../../db/sql.ts';
import { newId, toUuid } from '../../kernel/ids.ts';

/** An adjustment: credits that are given (more than 0) or taken away. */
export interface Adjustment {
  readonly accountId: string;
  readonly credits: number;
  readonly reason: string;
  /** What makes it safe to repeat; unique for its account. */
  readonly reference?: string | null | undefined;
}

/** Writes the entry in the transaction of `sql`; the balance follows by itself. Answers its id. @throws where the balance would fall below 0. */
export async function bookAdjustment(
  sql: Sql,
  { accountId, credits, reason, reference = null }: Adjustment,
): Promise<string> {
  const id = newId('led');
  await runSql(
    sql,
    `insert into ledger (account_id, id, kind, credits, held, reason, reference, created_at)
     values ($1, $2, 'adjustment', $3, 0, $4, $5, clock_timestamp())`,
    [toUuid(accountId), toUuid(id), credits, reason, reference],
  );
  return id;
}
