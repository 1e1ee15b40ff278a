/** The statement of the verb *account figures*. */
import { idSql } from '../../../db/statements/json.sql.ts';
import { statement } from '../../../db/statements/statement.ts';

/** The counted attempts of each account since an hour. The statuses are those of `totalsOf`. */
export const COUNT_ACCOUNTS = statement('count accounts', {
  takes: { since: 'uuid' },
  gives: { accountId: 'text', attempts: 'int', accepted: 'int', failed: 'int' },
  sql: p => `
  select ${idSql('acc', 'a.id')} as "accountId", coalesce(sum(c.entries), 0)::int as attempts,
    coalesce(sum(c.entries) filter (where c.status in ('sent', 'delivered', 'read')), 0)::int as accepted,
    coalesce(sum(c.entries) filter (where c.status in ('failed', 'expired')), 0)::int as failed
  from accounts a left join log_counts c
    on c.account_id = a.id and c.hour >= ${p.since} and c.type in ('message_attempt', 'otp_attempt')
  group by a.id order by a.id`,
});
