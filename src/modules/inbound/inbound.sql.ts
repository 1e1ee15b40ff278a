/** The statement that takes what comes in: in one commit it is seen, owned, stored, logged and told. */
import { idSql } from '../../db/statements/json.sql.ts';
import { telling } from '../../db/statements/order.sql.ts';
import { records, toldIds } from '../../db/statements/records.ts';
import { shownSql } from '../../db/statements/shown.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';
import { uuid7FloorOf } from '../../db/statements/uuid7.sql.ts';
import { CHANNELS, isSms } from '../../kernel/channel.ts';
import { inboundData } from '../answers/inbound.data.ts';
import { isHeededSql } from '../auto-replies/keyword-answers.sql.ts';
import { isNewsSql } from '../people/people.sql.ts';
import { LOG_CHANNEL } from '../routing/announce-log.ts';
import { HAS_LEFT } from '../routing/has-left.sql.ts';
import { eventCtes } from '../webhooks/events/record-events.sql.ts';
import { newsCtes } from './seen.sql.ts';

/** The channel on which followers hear of what came in; the payload are uuids, joined by commas. */
export const INBOUND_CHANNEL = 'heliograph_inbound';

/** The channels where nothing is quoted, as an SQL list. */
const UNQUOTED = `(${CHANNELS.filter(isSms)
  .map(channel => `'${channel}'`)
  .join(', ')})`;

/** The fate of a message: it is `stored`; it came before; or it came to nobody's sender. */
export type InboundResult = 'stored' | 'repeated' | 'unowned';

/** Of the sends of an account to the person of `n` from the sender that `n` came to, the newest that has left. Nothing was sent to a number that is new. @param which a condition on its attempts `a` */
const lastTo = (account: string, which: string): string => `
      select a.id, a.message_id from attempts a
      where a.account_id = ${account} and a.recipient = coalesce(n.former_number, n.from_number, n.from_user_id)
        and a.sender = n.to_address and a.channel = n.channel and ${which} and ${HAS_LEFT('a')}
      order by a.id desc limit 1`;

/** Whether `n` came to a number that sender rules put in the place of names. */
const IS_OF_RULE = 'exists (select from sender_rules r where r.numeric_sender = n.to_address)';

/** Whether the sender `s` may be of several accounts: only then it matters which of them wrote last. */
const IS_SHARED = `(exists (select from senders o where o.address = n.to_address and o.channel = n.channel and o.approved_at is not null
          and o.account_id <> s.account_id) or ${IS_OF_RULE})`;

const IS_SEND = "a.type in ('message_attempt', 'otp_attempt')";

/** A condition on attempts `a`: each account with a name is looked at, so two partitions of months or three must do. */
const IS_RECENT = `a.id >= ${uuid7FloorOf("now() - interval '60 days'")}`;

/**
 * The account whose sender `n` came to by a shared connection. Of several it is the one that wrote to the person last, as the log tells. A guess would
 * show a text to strangers. The number of a rule is a sender of each account with a name, if that wrote from it lately.
 */
const OWNER = `(
      select coalesce((array_agg(o.account_id order by o.last_id desc) filter (where o.last_id is not null))[1],
        case when count(*) filter (where o.is_own) = 1 then (array_agg(o.account_id) filter (where o.is_own))[1] end)
      from (
        select s.account_id, true as is_own, l.id as last_id from senders s left join lateral (${lastTo('s.account_id', `${IS_SEND} and ${IS_SHARED}`)}) l on true
        where s.address = n.to_address and s.channel = n.channel and s.approved_at is not null
        union all
        select s.account_id, false, l.id from (
          select distinct account_id from senders where n.channel in ${UNQUOTED} and channel = n.channel and approved_at is not null
            and address ~ '[A-Za-z]' and ${IS_OF_RULE}
        ) s cross join lateral (${lastTo('s.account_id', `${IS_SEND} and ${IS_RECENT}`)}) l
      ) o)`;

/** A condition on attempts `a`: where nothing is quoted, an answer is one for so long (contract §15). */
const ANSWERED = `a.type = 'message_attempt' and a.id >= ${uuid7FloorOf("clock_timestamp() - interval '7 days'")}`;

/** The message of ours that `n` answers. The connection may be another one: a number can be connected anew. */
const REPLY_TO = `case
      when n.quotes is not null then (
        select a.message_id from attempts a where a.provider_message_id = n.quotes and a.channel = n.channel
          and a.account_id = n.account_id order by a.id desc limit 1)
      when n.channel in ${UNQUOTED} then (select l.message_id from (${lastTo('n.account_id', ANSWERED)}) l) end`;

/**
 * Takes messages. One whose provider's id has come before is passed over, whichever process took that; without such an id each is one. Answers
 * what became of each.
 */
export const RECEIVE_INBOUND = statement('receive inbound', {
  takes: {
    /** `account_id` is null by a shared connection, `connection_id` by the sandbox, and `seen_id` where nothing tells a repeat. */
    messages:
      records(`id uuid, entry_id uuid, account_id uuid?, connection_id uuid?, provider text, seen_id text?, channel text, type text,
      from_number text?, former_number text?, from_user_id text?, username text?, to_address text, text text?, word text?, quotes text?, country text?, sent_at timestamptz?`),
    received: toldIds,
    logged: toldIds,
  },
  gives: {
    id: 'uuid',
    accountId: 'uuid?',
    /** Whether it tells something new of its person. */
    isNews: 'boolean',
    /** Whether its word may be heeded. */
    isHeeded: 'boolean',
    result: typed<InboundResult>('text'),
  },
  sql: p => `
  with given as materialized (
    select * from ${p.messages('m')}
  ), ${newsCtes('id')}, owned as materialized (
    select n.id, n.entry_id, coalesce(n.account_id, ${OWNER}) as account_id, n.connection_id, n.provider, n.channel, n.type, n.from_number,
      n.former_number, n.from_user_id, n.username, n.to_address, n.text, n.word, n.quotes, n.country, n.sent_at
    from news n
  ), made as materialized (
    select n.*, ${REPLY_TO} as reply_to, clock_timestamp() as received_at from owned n where n.account_id is not null
  ), kept as (
    insert into inbound_messages (id, account_id, connection_id, channel, type, from_number, from_user_id, username, to_address, text, reply_to, received_at, sent_at)
    select id, account_id, connection_id, channel, type, from_number, from_user_id, username, to_address, text, reply_to, received_at, sent_at from made
  ), entries as (
    -- The person is the recipient of both directions, so that one filter finds what was said.
    insert into attempts (id, account_id, area, type, message_id, channel, provider, connection_id, recipient, country, sender, status, segments, started_at, finished_at)
    select entry_id, account_id, 'unified', 'inbound', id, channel, provider, connection_id, coalesce(from_number, from_user_id, ''), country, to_address,
      'received', 0, received_at, received_at from made
  ), ${eventCtes('(select array_agg(distinct account_id) from made)::uuid[]', [
    {
      from: 'made',
      where: 'true',
      of: 'made',
      send: 'made.id',
      events: { 'message.received': 'true' },
      data: `json_build_object(${shownSql(inboundData, 'made', {
        messageId: idSql('msg', 'made.id'),
        from: 'made.from_number',
        to: 'made.to_address',
        replyTo: idSql('msg', 'made.reply_to'),
      })})`,
      order: 'made.id',
    },
  ])}
  select g.id, m.account_id as "accountId", coalesce(${isNewsSql('m')}, false) as "isNews", coalesce(${isHeededSql('m')}, false) as "isHeeded",
    case when m.id is not null then 'stored' when n.id is not null then 'unowned' else 'repeated' end as result
  from given g left join news n on n.id = g.id left join made m on m.id = g.id
  where ${telling(INBOUND_CHANNEL, p.received)} and ${telling(LOG_CHANNEL, p.logged)}`,
});
