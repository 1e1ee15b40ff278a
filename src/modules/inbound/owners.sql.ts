/** The statement that finds whose a message is that came by a shared connection. */
import { records } from '../../db/statements/records.ts';
import { statement } from '../../db/statements/statement.ts';
import { HAS_LEFT } from '../routing/has-left.sql.ts';

/** Of the sends of an account to the person of `n` from the sender that `n` came to, the newest that has left. @param which a condition on its attempts `a` */
export const lastTo = (account: string, which: string): string => `
      select a.id, a.message_id from attempts a
      where a.account_id = ${account} and a.recipient = coalesce(n.from_number, n.from_user_id)
        and a.sender = n.to_address and a.channel = n.channel and ${which} and ${HAS_LEFT('a')}
      order by a.id desc limit 1`;

/** Whether the sender `s` is of several accounts: only then it matters which of them wrote last. */
const IS_SHARED = `exists (select from senders o where o.address = n.to_address and o.channel = n.channel and o.approved_at is not null
          and o.account_id <> s.account_id)`;

/**
 * Finds the accounts whose senders messages came to. Of several accounts it is the one that wrote to the person last, as the log tells; no row: nobody's. A guess
 * would show a text to strangers.
 */
export const FIND_OWNERS = statement('find owners', {
  takes: { messages: records('id uuid, channel text, from_number text?, from_user_id text?, to_address text') },
  gives: { id: 'uuid', accountId: 'uuid?' },
  sql: p => `
  select n.id, case when count(*) = 1 then min(s.account_id::text)::uuid
      else (array_agg(s.account_id order by l.id desc) filter (where l.id is not null))[1] end as "accountId"
  from ${p.messages('n')} cross join lateral (
      -- A join would be planned for a table as small as it once was.
      select s.account_id from senders s where s.address = n.to_address and s.channel = n.channel and s.approved_at is not null offset 0) s
  left join lateral (${lastTo('s.account_id', `a.type in ('message_attempt', 'otp_attempt') and ${IS_SHARED}`)}) l on true
  group by n.id`,
});
