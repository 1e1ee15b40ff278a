/** Writes an adjustment into the ledger: the way in which credits come into an account and leave it other than by sends. */
import type { Sql } from '../../db/statements/sql.ts';
import { statement } from '../../db/statements/statement.ts';
import { uuid7Of } from '../../db/statements/uuid7.sql.ts';
import { fromUuid, toUuid } from '../../kernel/ids.ts';

/** An adjustment: credits that are given (more than 0) or taken away. */
export interface Adjustment {
  readonly accountId: string;
  readonly credits: number;
  readonly reason: string;
  /** Makes an adjustment safe to repeat; unique for its account. */
  readonly reference?: string | null | undefined;
}

// The id is by the database's clock, as those of the other entries are: the ledger is listed in their order. Its time is the one that is shown.
const BOOK_ADJUSTMENT = statement('book adjustment', {
  takes: { account: 'uuid', credits: 'int', reason: 'text', reference: 'text?' },
  gives: { id: 'uuid' },
  sql: p => `insert into ledger (account_id, id, kind, credits, held, reason, reference, created_at)
    select ${p.account}, ${uuid7Of('at')}, 'adjustment', ${p.credits}, 0, ${p.reason}, ${p.reference}, at
    from (select clock_timestamp() as at) clock returning id`,
});

/** Writes the entry in the transaction of `sql`, and answers its id. A trigger changes the balance. @throws an error of the database where the balance would fall below 0 */
export async function bookAdjustment(
  sql: Sql,
  { accountId, credits, reason, reference = null }: Adjustment,
): Promise<string> {
  const entry = await BOOK_ADJUSTMENT.first(sql, { account: toUuid(accountId), credits, reason, reference });
  if (!entry) throw new Error('the adjustment was not booked');
  return fromUuid('led', entry.id);
}
