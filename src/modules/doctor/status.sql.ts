/** The statements of the operator's screen. */
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';
import type { LogStatus } from '../../kernel/status.ts';

/** The accounts, and the connections that are not removed by how they are. */
export const COUNT_STANDING = statement('count standing', {
  gives: { accounts: 'int', up: 'int', down: 'int', unused: 'int', paused: 'int' },
  sql: () => `
  select (select count(*) from accounts)::int as accounts, (count(*) filter (where not is_paused and health = 'up'))::int as up,
    (count(*) filter (where not is_paused and health = 'down'))::int as down,
    (count(*) filter (where not is_paused and health = 'unknown'))::int as unused, (count(*) filter (where is_paused))::int as paused
  from connections where removed_at is null`,
});

/** The attempts of all accounts since an id of a whole hour, by status: from the counts by hour, and from entries not counted yet. */
export const COUNT_TODAY = statement('count today', {
  takes: { from: 'uuid' },
  gives: { status: typed<LogStatus>('text'), entries: 'int', credits: 'int' },
  sql: p => `
  select status, sum(entries)::int as entries, sum(credits)::int as credits from (
    select c.status, c.entries, c.credits from accounts a join log_counts c on c.account_id = a.id and c.hour >= ${p.from}
    where c.type in ('message_attempt', 'otp_attempt')
    union all
    select n.status, 1, n.credits from attempts n
    where n.id >= greatest(${p.from}, (select until from log_roll_up)) and n.type in ('message_attempt', 'otp_attempt')
  ) counted group by status`,
});
