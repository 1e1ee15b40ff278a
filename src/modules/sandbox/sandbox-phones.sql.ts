/** The statement that lists the phones of an account. */
import { statement } from '../../db/statements/statement.ts';

/** The phones that have texts since `oldest`, with the newest text of each, those with the newest first. */
export const LIST_PHONES = statement('list sandbox phones', {
  takes: { account: 'uuid', oldest: 'uuid' },
  gives: { recipient: 'text', count: 'int', newest: 'text' },
  sql: p => `select recipient, count(*)::int as count, max(id::text) as newest from sandbox_messages
    where account_id = ${p.account} and id >= ${p.oldest} group by recipient order by newest desc`,
});
