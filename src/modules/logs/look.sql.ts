/** The statements of a look at the log, one for each index: the planner takes the one that a condition stands for. */
import { endOfLooked, listLooked } from '../../db/statements/look.sql.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';
import type { LogStatus } from '../../kernel/status.ts';
import { byIndex, FILTER, found, parametersOf, passes } from './filtered.sql.ts';

/** The statements of a look by an index. */
export const LOOK_BY = byIndex(by => ({
  /** The newest entries that pass a filter, of those that one look passes by. */
  list: statement(`list filtered by ${by}`, {
    takes: { ...FILTER, limit: 'int' },
    gives: { id: 'uuid' },
    sql: p => listLooked('attempts', found(by, p), passes(p, 'a'), p.limit),
  }),
  /** The entry with which a look of what an index finds is as long as it may be; none where there are fewer. */
  end: statement(`end of look by ${by}`, {
    takes: parametersOf(by),
    gives: { id: 'uuid' },
    sql: p => endOfLooked('attempts', found(by, p)),
  }),
}));

/** How many entries pass a filter, by the last of `bounds` that is not above them. */
export const COUNT_FILTERED = byIndex(by =>
  statement(`count filtered by ${by}`, {
    takes: { bounds: 'uuid[]', ...FILTER },
    gives: { bucket: 'int', status: typed<LogStatus>('text'), entries: 'int' },
    sql: p => `
  select width_bucket(id, ${p.bounds}) - 1 as bucket, status, count(*)::int as entries from attempts a
  where ${found(by, p)} and ${passes(p, 'a')}
  group by 1, 2`,
  }),
);
