/** The statements that search people by what was said with them. */
import { statement } from '../../db/statements/statement.ts';
import { IS_UNREAD } from './people-list.sql.ts';

/** How much one page looks at: messages, and `PERSON_WEIGHT` more for each person. */
export const LOOK = 20_000;

/** The indexes are asked about a person as often as about so many messages. */
const PERSON_WEIGHT = 10;

/** How many messages are looked at of each address of a person and each direction, the newest. */
const MESSAGES_MAX = 1_000;

/** The newest texts that the address `a` of `p` sent, as a number or an id. */
const written = (column: 'from_number' | 'from_user_id'): string => `
        (select i.text from inbound_messages i where i.account_id = p.account_id and i.${column} = a.value order by i.id desc limit ${MESSAGES_MAX})`;

/** The begin of the list: no message is newer. */
const NEWEST = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`;

/**
 * Searches people of an account by name, by address, and by what either side said; those with the newest messages first. The condition holds for each.
 * The walk takes one person after another, looks at each whole, and ends with a full page or with its look.
 */
const searchOf = (name: string, condition: string) =>
  statement(name, {
    takes: { account: 'uuid', before: 'uuid?', search: 'text', digits: 'text?', limit: 'int' },
    gives: { id: 'uuid', newest: 'uuid', isFound: 'boolean', isEnd: 'boolean' },
    sql: p => `
  with recursive walk as (
    select null::uuid as id, coalesce(${p.before}, ${NEWEST}) as newest, false as is_found, 0::bigint as looked, 0 as found
    union all
    select p.id, p.newest, f.is_found, w.looked + ${PERSON_WEIGHT} + c.messages, w.found + f.is_found::int
    from walk w cross join lateral (
      select p.id, p.account_id, p.name, p.newest from people p
      where p.account_id = ${p.account} and p.merged_into is null and p.newest < w.newest and ${condition}
      order by p.newest desc limit 1
    ) p cross join lateral (
      select count(*) as messages, coalesce(bool_or(m.text ilike ${p.search}), false) as is_said
      from person_addresses a cross join lateral (${written('from_number')}
        union all${written('from_user_id')}
        union all
        select m.text from (
          select message_id from attempts where account_id = p.account_id and recipient = a.value and type = 'message_attempt'
          order by id desc limit ${MESSAGES_MAX}) t join messages m on m.id = t.message_id) m
      where a.person_id = p.id
    ) c cross join lateral (
      select coalesce(p.name ilike ${p.search}, false) or c.is_said or exists (select from person_addresses a where a.person_id = p.id
        and (a.value ilike ${p.search} or (a.kind = 'number' and a.value like ${p.digits}))) as is_found
    ) f
    where w.looked < ${LOOK} and w.found < ${p.limit}
  )
  select id, newest, is_found as "isFound", looked >= ${LOOK} as "isEnd" from walk
  where id is not null and (is_found or looked >= ${LOOK}) order by newest desc`,
  });

/** Searches all people. */
export const SEARCH_PEOPLE = searchOf('search people', 'true');

/** Searches those with messages that nobody has read. */
export const SEARCH_UNREAD_PEOPLE = searchOf('search unread people', IS_UNREAD);
