/** The statements of suppressions. Each tells every process who is suppressed now, and webhooks. */

import { idSql } from '../../db/statements/json.sql.ts';
import { records } from '../../db/statements/records.ts';
import { shownSql } from '../../db/statements/shown.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { type Answer, statement } from '../../db/statements/statement.ts';
import { UUID7, uuid7InstantOf } from '../../db/statements/uuid7.sql.ts';
import { suppressionData } from '../answers/suppression.data.ts';
import { type EventSource, eventCtes } from '../webhooks/events/record-events.sql.ts';
import { markedCte } from './answer-marks.sql.ts';
import { HELP_WORDS, START_WORDS, STOP_WORDS } from './stop-words.policy.ts';

/** The NOTIFY channel of changes. A payload is `+` or `-`, the number of the change, the uuid of the account and the person, with blanks between. */
export const SUPPRESSION_CHANNEL = 'heliograph_suppressions';

const listOf = (words: readonly string[]): string => `(${words.map(word => `'${word}'`).join(', ')})`;

const isWord = (words: readonly string[], own: string): string =>
  `(m.word in ${listOf(words)} or coalesce(a.opt_out_settings->'${own}' ? m.word, false))`;

/** The class of advisory locks of `LOCK_LISTS`. */
const LISTS_LOCK = 4820260009;

/** Whether the word of a message `m` stops, starts or helps, by everybody's words or those of its account `a`. */
export const IS_RESERVED = `(${isWord(STOP_WORDS, 'stopWords')} or ${isWord(START_WORDS, 'startWords')} or m.word in ${listOf(HELP_WORDS)})`;

const SUPPRESSED = { 'recipient.suppressed': 'true' };
const UNSUPPRESSED = { 'recipient.unsuppressed': 'true' };

/** The uuid that the events about the consent of one person share, as SQL. */
export const consentOf = (account: string, person: string): string => `md5(${account}::text || ' ' || ${person})::uuid`;

/** The event of a change. @param rows a CTE of rows of `suppressions` */
const changed = (rows: string, events: EventSource['events']): EventSource => ({
  from: rows,
  where: 'true',
  of: rows,
  send: consentOf(`${rows}.account_id`, `${rows}.person`),
  events,
  data: `json_build_object(${shownSql(suppressionData, rows, { to: `${rows}.person`, messageId: idSql('msg', `${rows}.message_id`) })})`,
});

const told = (rows: string, sign: '+' | '-'): string =>
  `(select count(pg_notify('${SUPPRESSION_CHANNEL}', '${sign}' || number || ' ' || account_id || ' ' || person)) from ${rows}) >= 0`;

/** The number of a change, taken while its row is locked: of two changes of one person the later one has the higher number. */
const NUMBER = `nextval('suppression_changes')::float8 as number`;

/** The texts of an account that answer words. */
type WordAnswer = 'stopText' | 'helpText';

/** One change of a list, as every process is told of it. */
export type SuppressionChange = Answer<typeof SPREAD>;

/**
 * Keeps the lists of accounts until the transaction ends. Whoever learns addresses of people has this lock, and the account when it changes a list: else neither
 * would see the other. A word needs no such lock: its person is locked by `NOTE_MESSAGES` before it is heeded, and whoever learns notes after it has learned.
 */
export const LOCK_LISTS = statement('lock suppressions', {
  takes: { accounts: 'uuid[]' },
  gives: { count: 'int' },
  sql: p => `
  select count(pg_advisory_xact_lock(hashtextextended(account::text, ${LISTS_LOCK})))::int as count
  from (select unnest(${p.accounts}) as account order by 1) a`,
});

/** The address that `m` names its person by. Each look goes by the index: a join would be planned for a table as small as it once was. */
const ONE_ADDRESS = (m: string): string =>
  `(select o.person_id from person_addresses o where o.account_id = ${m}.account_id and o.value = ${m}.person limit 1)`;

/** All addresses of the person of `w`. */
const ADDRESSES_OF = (w: string): string =>
  `(select o.account_id, o.value from person_addresses o where o.person_id = ${w}.person_id offset 0)`;

const CHANGE = { account_id: 'uuid', person: 'text', is_suppressed: 'boolean', number: 'float8' } as const;

/** Suppresses people by each of their addresses, where they are by one. Answers those that were not before. */
export const SPREAD = statement('spread suppressions', {
  takes: { people: records('account_id uuid, person text'), accounts: 'uuid[]' },
  gives: CHANGE,
  sql: p => `
  with known as materialized (
    select distinct on (a.person_id) a.person_id, s.origin, s.reason, s.message_id
    from ${p.people('r')} cross join lateral ${ONE_ADDRESS('r')} a cross join lateral ${ADDRESSES_OF('a')} b
    cross join lateral (select * from suppressions s where s.account_id = b.account_id and s.person = b.value offset 0) s
    -- Of two reasons the account's own is kept: no word of the person takes it off.
    order by a.person_id, s.origin = 'account' desc, s.id
  ), put as (
    insert into suppressions as s (id, account_id, person, origin, reason, message_id, created_at)
    select ${UUID7}, a.account_id, a.value, k.origin, k.reason, k.message_id, clock_timestamp()
    from known k cross join lateral ${ADDRESSES_OF('k')} a order by a.account_id, a.value
    on conflict (account_id, person) do update
      set origin = 'account', reason = coalesce(excluded.reason, s.reason), message_id = null
      where excluded.origin = 'account' and s.origin <> 'account'
    returning s.*, s.xmax = 0 as is_new, ${NUMBER}
  ), stopped as materialized (
    select * from put where is_new
  ), ${eventCtes(p.accounts, [changed('stopped', SUPPRESSED)])}
  select account_id, person, true as is_suppressed, number from stopped where ${told('stopped', '+')}`,
});

/** When the message of an id was written: as its provider tells, and never after it came. */
const writtenAt = (id: string): string =>
  `least((select i.sent_at from inbound_messages i where i.id = ${id}), ${uuid7InstantOf(id)})`;

/** Whether the message of an id was written before another one; of the same time the one that came first. */
const isBefore = (id: string, other: string): string => `(${writtenAt(id)}, ${id}) < (${writtenAt(other)}, ${other})`;

/**
 * Puts the writers of messages onto the list by their words, or takes them off, each by all addresses. Their people are known by then. The word that a person wrote
 * last decides. A word never takes off what the account put there. Answers the changes, and the text of the
 * account that answers a word: the confirmation of a stop, or the help; each once an hour. None answers where the provider has.
 */
export const APPLY_WORDS = statement('apply words', {
  takes: {
    messages: records('id uuid, account_id uuid, person text, word text, is_answered boolean'),
    accounts: 'uuid[]',
  },
  gives: {
    id: 'uuid?',
    account_id: 'uuid',
    person: 'text?',
    is_suppressed: 'boolean?',
    number: 'float8?',
    answer: typed<WordAnswer | null>('text'),
  },
  sql: p => `
  with made as materialized (
    select m.*, a.person_id from ${p.messages('m')} cross join lateral ${ONE_ADDRESS('m')} a
  ), words as materialized (
    select distinct on (m.person_id) m.account_id, m.person_id, m.id,
      ${isWord(STOP_WORDS, 'stopWords')} as is_stop, ${isWord(START_WORDS, 'startWords')} as is_start
    from made m join accounts a on a.id = m.account_id
    where ${isWord(STOP_WORDS, 'stopWords')} or ${isWord(START_WORDS, 'startWords')}
    order by m.person_id, ${writtenAt('m.id')} desc, m.id desc
  ), put as (
    insert into suppressions as s (id, account_id, person, origin, message_id, created_at)
    select ${UUID7}, a.account_id, a.value, 'recipient', w.id, clock_timestamp()
    from words w cross join lateral ${ADDRESSES_OF('w')} a where w.is_stop order by a.account_id, a.value
    -- A stop that is said again counts from then.
    on conflict (account_id, person) do update set message_id = excluded.message_id
      where s.origin = 'recipient' and (s.message_id is null or ${isBefore('s.message_id', 'excluded.message_id')})
    returning s.*, s.xmax = 0 as is_new, ${NUMBER}
  ), stopped as materialized (
    select * from put where is_new
  ), lifted as materialized (
    -- In one order, since the account may take off the same ones.
    select s.account_id, s.person from words w cross join lateral ${ADDRESSES_OF('w')} a
    join suppressions s on s.account_id = a.account_id and s.person = a.value
    -- A word takes back no stop that was written after it, in whatever order they come.
    where w.is_start and not w.is_stop and s.origin = 'recipient' and (s.message_id is null or ${isBefore('s.message_id', 'w.id')})
    order by s.account_id, s.person for update of s
  ), started as (
    delete from suppressions s using lifted l where s.account_id = l.account_id and s.person = l.person returning s.*, ${NUMBER}
  ), due as materialized (
    select distinct on (m.person_id, w.answer) m.id, m.account_id, m.person_id, w.answer
    from made m join accounts a on a.id = m.account_id cross join lateral (select case
      when a.opt_out_settings->>'stopText' is not null and m.id in (select message_id from stopped) then 'stopText'
      when a.opt_out_settings->>'helpText' is not null and m.word in ${listOf(HELP_WORDS)} then 'helpText' end as answer) w
    where w.answer is not null and not m.is_answered order by m.person_id, w.answer, m.id
  ), ${markedCte('due', 'answer')}, ${eventCtes(p.accounts, [changed('stopped', SUPPRESSED), changed('started', UNSUPPRESSED)])}
  select d.id, d.account_id, null as person, null::boolean as is_suppressed, null::float8 as number, d.answer
  from due d join marked k on k.person_id = d.person_id and k.keyword = d.answer
  union all select null, account_id, person, true, number, null from stopped where ${told('stopped', '+')}
  union all select null, account_id, person, false, number, null from started where ${told('started', '-')}`,
});

/** The condition of a message `m` that its recipient is suppressed. @param erased SQL of the name of the recipient, had it been erased */
export const isSuppressedSql = (m: string, erased: string): string =>
  `exists (select from suppressions s where s.account_id = ${m}.account_id and s.person in (${m}.recipient, ${erased}))`;

/** The account's own suppression goes before one by a word, where both stand for one person. */
const KEEP_OWN = `on conflict (account_id, person) do update set origin = 'account'
      where excluded.origin = 'account' and s.origin <> 'account'`;

/** Puts people on the lists under another of their two names. */
const renamed = (name: string, from: 'person' | 'erased', to: 'person' | 'erased') =>
  statement(name, {
    takes: { people: records('account_id uuid, person text, erased text') },
    gives: CHANGE,
    sql: p => `
  with known as materialized (
    select * from ${p.people('r')}
  ), gone as (
    delete from suppressions s using known k where s.account_id = k.account_id and s.person = k.${from}
    returning s.id, s.account_id, s.person, s.origin, s.created_at, k.${to} as other, ${NUMBER}
  ), put as (
    insert into suppressions as s (id, account_id, person, origin, created_at)
    select id, account_id, other, origin, created_at from gone order by account_id, other
    ${KEEP_OWN} returning account_id, person, ${NUMBER}
  )
  select account_id, person, false as is_suppressed, number from gone where ${told('gone', '-')}
  union all
  select account_id, person, true, number from put where ${told('put', '+')}`,
  });

/** Puts names in the place of the addresses of a person who is erased, so that a stop holds. Answers what changed on the list. */
export const NAME_ERASED = renamed('name erased', 'person', 'erased');

/** Puts the addresses of people in the place of their erased names, as they are known again. Answers what changed on the lists. */
export const RECALL_ERASED = renamed('recall erased', 'erased', 'person');

/** Looks for a recipient on a list, by address and by the name of an erased one; no row: there is none. */
export const FIND_SUPPRESSED = statement('find suppressed', {
  takes: { account: 'uuid', recipient: 'text', erased: 'text' },
  gives: { person: 'text' },
  sql: p =>
    `select person from suppressions where account_id = ${p.account} and person in (${p.recipient}, ${p.erased}) limit 1`,
});

/** All addresses of the people of `r`, as `person`; of who is not known, the one that is given. */
const ADDRESSES = `cross join lateral (
      select r.person as value union
      select b.value from person_addresses a join person_addresses b on b.person_id = a.person_id
      where a.account_id = r.account_id and a.value = r.person) v`;

/** The address of a person that a caller names: by one of them, or by the uuid of the person. */
export const FIND_ADDRESS = statement('find address', {
  takes: { account: 'uuid', value: 'text', person: 'uuid?' },
  gives: { value: 'text' },
  sql: p => `
  select a.value from person_addresses a
  where a.account_id = ${p.account} and (a.value = ${p.value}
    or a.person_id = (select coalesce(merged_into, id) from people where id = ${p.person} and account_id = ${p.account}))
  order by a.kind, a.value limit 1`,
});

/** Puts people onto the list, each by all addresses. One whose own word put it there is the account's from now on. Answers those that changed. */
export const SUPPRESS = statement('suppress', {
  takes: { people: records('account_id uuid, person text, reason text?'), accounts: 'uuid[]' },
  gives: { id: 'uuid', ...CHANGE },
  sql: p => `
  with meant as materialized (
    select r.account_id, v.value as person, r.reason from ${p.people('r')} ${ADDRESSES}
  ), put as (
    insert into suppressions as s (id, account_id, person, origin, reason, created_at)
    select ${UUID7}, account_id, person, 'account', reason, clock_timestamp() from meant order by account_id, person
    on conflict (account_id, person) do update
      set origin = 'account', reason = coalesce(excluded.reason, s.reason), message_id = null
      where s.origin <> 'account' or s.reason is distinct from coalesce(excluded.reason, s.reason)
    -- A row that is updated has an xmax; one that a START has taken off meanwhile is new.
    returning s.*, s.xmax = 0 as is_new, ${NUMBER}
  ), fresh as materialized (
    select * from put where is_new
  ), ${eventCtes(p.accounts, [changed('fresh', SUPPRESSED)])}
  select id, account_id, person, true as is_suppressed, number from put where ${told('fresh', '+')}`,
});

/** Takes people off the list by all addresses, whoever put them there. Answers the entries that were there. */
export const UNSUPPRESS = statement('unsuppress', {
  takes: { people: records('account_id uuid, person text'), accounts: 'uuid[]' },
  gives: { id: 'uuid', ...CHANGE },
  sql: p => `
  with lifted as materialized (
    -- In one order, since a word may take off the same ones.
    select s.account_id, s.person from ${p.people('r')} ${ADDRESSES}
    join suppressions s on s.account_id = r.account_id and s.person = v.value order by s.account_id, s.person for update of s
  ), gone as (
    delete from suppressions s using lifted l where s.account_id = l.account_id and s.person = l.person returning s.*, ${NUMBER}
  ), ${eventCtes(p.accounts, [changed('gone', UNSUPPRESSED)])}
  select id, account_id, person, false as is_suppressed, number from gone where ${told('gone', '-')}`,
});

/** Everybody on the lists, from a key on, in its order. */
export const LOAD_SUPPRESSED = statement('load suppressed', {
  takes: { account: 'uuid', person: 'text', limit: 'int' },
  gives: { account_id: 'uuid', person: 'text' },
  sql: p => `
  select account_id, person from suppressions
  where (account_id, person) > (${p.account}, ${p.person})
  order by account_id, person limit ${p.limit}`,
});
