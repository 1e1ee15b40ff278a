/** The statement of the verb *find recipients*. */
import { statement } from '../../db/statements/statement.ts';

/** The recipients of the newest entries that end so, each once, the newest first. */
export const FIND_RECIPIENTS = statement('find recipients', {
  takes: { account: 'uuid', since: 'uuid', look: 'int', ending: 'text', most: 'int' },
  gives: { recipient: 'text' },
  sql: p => `
  select recipient from (
    select id, recipient from attempts where account_id = ${p.account} and id >= ${p.since} order by id desc limit ${p.look}
  ) newest
  where right(recipient, length(${p.ending})) = ${p.ending}
  group by recipient order by max(id::text) desc limit ${p.most}`,
});
