/** The statements that list people. */
import { statement } from '../../db/statements/statement.ts';
import { LEAST_UUID } from '../../kernel/ids.ts';

/** The condition of a person `p` that nobody of the account has read the last message, as `people_unread_index` has it. */
export const IS_UNREAD = 'p.last_message_id is not null and (p.read_until is null or p.read_until < p.last_message_id)';

/** How many unread people are counted, at most. */
const UNREAD_PEOPLE_MAX = 1_000;

/** How many unread messages of one person are counted: more are many. */
const UNREAD_MAX = 100;

/** Lists people of an account for whom a condition holds, those with the newest messages first. */
const listOf = (name: string, condition: string) =>
  statement(name, {
    takes: { account: 'uuid', before: 'uuid?', limit: 'int' },
    gives: { id: 'uuid' },
    sql: p => `
  select p.id from people p
  where p.account_id = ${p.account} and p.merged_into is null and p.newest is not null and (${p.before} is null or p.newest < ${p.before}) and ${condition}
  order by p.newest desc limit ${p.limit}`,
  });

/** The people of an account. */
export const LIST_PEOPLE = listOf('list people', 'true');

/** Those with messages that nobody has read. */
export const LIST_UNREAD_PEOPLE = listOf('list unread people', IS_UNREAD);

/** How many people wrote something that nobody has read, `UNREAD_PEOPLE_MAX` at most. */
export const COUNT_UNREAD_PEOPLE = statement('count unread people', {
  takes: { account: 'uuid' },
  gives: { count: 'int' },
  sql: p => `
  select count(*)::int as count from (
    select from people p where p.account_id = ${p.account} and p.merged_into is null and ${IS_UNREAD} limit ${UNREAD_PEOPLE_MAX}) u`,
});

/** How many messages of each of these people nobody has read, `UNREAD_MAX` at most. */
export const COUNT_UNREAD = statement('count unread messages', {
  takes: { people: 'uuid[]' },
  gives: { id: 'uuid', count: 'int' },
  sql: p => `
  select p.id, least(count(distinct m.id), ${UNREAD_MAX})::int as count
  from people p join person_addresses a on a.person_id = p.id cross join lateral (
    (select id from inbound_messages where account_id = a.account_id and from_number = a.value and id > coalesce(p.read_until, '${LEAST_UUID}')
      order by id desc limit ${UNREAD_MAX})
    union all
    (select id from inbound_messages where account_id = a.account_id and from_user_id = a.value and id > coalesce(p.read_until, '${LEAST_UUID}')
      order by id desc limit ${UNREAD_MAX})) m
  where p.id = any(${p.people}) and ${IS_UNREAD} group by p.id`,
});

/** Notes how far the messages of a person are read; never back. */
export const MARK_READ = statement('mark read', {
  takes: { person: 'uuid', message: 'uuid' },
  sql: p => `
  update people set read_until = ${p.message}
  where id = ${p.person} and (read_until is null or read_until < ${p.message})`,
});
