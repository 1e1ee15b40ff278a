/** The statements that learn who a person is. They run in this order, in the transaction that stores what was learned. */
import { records } from '../../db/statements/records.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';
import type { Channel } from '../../kernel/channel.ts';

/**
 * Messages, as far as they tell of their people. `message_id` is a UUIDv7: the newest one has the newest name. `is_theirs`: they wrote it; what was sent to
 * them tells who they are, and stands in no list.
 */
const SIGHTINGS = records(
  'account_id uuid, person_id uuid, number text?, user_id text?, name text?, channel text, message_id uuid, is_theirs boolean, is_doubtful boolean',
);

/** The kind of an address: an id that a channel gave before may stand in the place of a number. */
const kindOf = (value: string): string => `case when ${value} ~ '^[0-9]+$' then 'number' else 'user_id' end`;

/** The person of an address of `m`. One look into the index for each: a join would be planned for a table as small as it once was. */
const personBy = (m: string, column: string): string =>
  `(select a.person_id from person_addresses a where a.account_id = ${m}.account_id and a.value = ${m}.${column})`;

/**
 * Locks the people of a CTE who are nobody else by now, in one order: another process may note the same ones. A new address, which holds the key of its
 * person, keeps nobody waiting.
 */
const lockedInOrder = (
  people: string,
): string => `select l.id from (select person_id from ${people} order by person_id) n
    cross join lateral (select id from people where id = n.person_id and merged_into is null for no key update) l`;

/** The condition of a message `m` that it tells something new: an address of nobody, or two of different people. For the statement that stores it. */
export const isNewsSql = (m: string): string => `(
      (${m}.from_number is not null and ${personBy(m, 'from_number')} is null)
      or (${m}.from_user_id is not null and (${personBy(m, 'from_user_id')} is null
        or ${personBy(m, 'from_number')} <> ${personBy(m, 'from_user_id')})))`;

/** The columns of an attempt that somebody was told of. */
const OF_TOLD = 'id, account_id, message_id, recipient, channel';

/**
 * The pairs of addresses that are not one person's so far, with the account of the attempt that each was told of. The number is the one that was sent to:
 * WhatsApp knows some by another (Brazil, Mexico). An attempt whose recipient was erased tells of nobody.
 */
export const FIND_STRANGERS = statement('find strangers', {
  takes: {
    told: records(
      'attempt_id uuid?, connection_id uuid, provider_message_id text, number text, user_id text, name text?',
    ),
  },
  gives: {
    account_id: 'uuid',
    number: 'text',
    user_id: 'text',
    name: 'text?',
    channel: typed<Channel>('text'),
    message_id: 'uuid',
  },
  sql: p => `
  select distinct on (f.account_id, f.number, f.user_id) f.account_id, f.number, f.user_id, f.name, f.channel, f.message_id
  from (
    select a.account_id, case when a.recipient ~ '^[0-9]+$' then a.recipient else t.number end as number, t.user_id, t.name, a.channel,
      coalesce(a.message_id, a.id) as message_id
    from ${p.told('t')} cross join lateral (
      (select ${OF_TOLD} from attempts where id = t.attempt_id and connection_id = t.connection_id and recipient <> '' limit 1)
      union all
      (select ${OF_TOLD} from attempts where t.attempt_id is null and provider_message_id = t.provider_message_id and connection_id = t.connection_id
          and recipient <> '' order by id desc limit 1)) a
  ) f
  where f.number <> f.user_id
    and (${personBy('f', 'number')} is null or ${personBy('f', 'number')} is distinct from ${personBy('f', 'user_id')})
  order by f.account_id, f.number, f.user_id, f.message_id`,
});

/**
 * Takes in addresses of nobody. Each belongs to the person of the other address in its sighting, else to a new one with its `person_id`.
 * `LOCK_LISTS` keeps others from taking in the same ones.
 */
export const LEARN_ADDRESSES = statement('learn addresses', {
  takes: { sightings: SIGHTINGS },
  sql: p => `
  with given as materialized (
    select * from ${p.sightings('s')}
  ), fresh as materialized (
    select distinct on (g.account_id, v.value) g.account_id, v.value, v.kind, g.channel, g.message_id,
      -- An attempt of a passcode is no message.
      case when g.is_theirs or exists (select from messages m where m.id = g.message_id) then g.message_id end as learned_from,
      coalesce(${personBy('v', 'beside')}, g.person_id) as person_id
    from given g cross join lateral (values (g.account_id, g.number, ${kindOf('g.number')}, g.user_id), (g.account_id, g.user_id, ${kindOf('g.user_id')}, g.number)) v(account_id, value, kind, beside)
    where v.value is not null and ${personBy('v', 'value')} is null
    order by g.account_id, v.value, g.message_id, g.is_doubtful
  ), learned as (
    insert into person_addresses (account_id, value, kind, person_id, channel, learned_from, learned_at)
    select account_id, value, kind, person_id, channel, learned_from, clock_timestamp() from fresh order by account_id, value
    returning account_id, value, person_id
  )
  insert into people (id, account_id, name, newest, last_message_id)
  -- By the person: an address of another sighting may be the first of its own.
  select distinct on (l.person_id) l.person_id, l.account_id, g.name, s.said, s.said
  from learned l join given g on g.person_id = l.person_id
  cross join lateral (select case when g.is_theirs then g.message_id end as said) s
  order by l.person_id`,
});

/** Two people who are one, by a sighting: the older one is kept. A number that was left is somebody else's where they have an id of the channel. */
export const FIND_TWINS = statement('find twins', {
  takes: { sightings: SIGHTINGS },
  gives: { kept: 'uuid', gone: 'uuid' },
  sql: p => `
  select least(n, u) as kept, greatest(n, u) as gone
  from (select ${personBy('g', 'number')} as n, ${personBy('g', 'user_id')} as u, g.is_doubtful, g.channel from ${p.sightings('g')}) k
  where n <> u and not (is_doubtful and exists (select from person_addresses b where b.person_id = k.n and b.kind = 'user_id' and b.channel = k.channel))
  limit 1`,
});

/** Locks the people of sightings by each address, in one order, before some of them are made one. */
export const LOCK_SEEN = statement('lock people who are seen', {
  takes: { sightings: SIGHTINGS },
  gives: { count: 'int' },
  sql: p => `
  with seen as materialized (
    select distinct v.person_id from ${p.sightings('g')}
    cross join lateral (values (${personBy('g', 'number')}), (${personBy('g', 'user_id')})) v(person_id) where v.person_id is not null
  ), locked as materialized (
    ${lockedInOrder('seen')}
  )
  select count(*)::int as count from locked`,
});

/** Makes two people one. Messages that were read of one of them are not known to be read of both. */
export const MERGE_TWINS = statement('merge twins', {
  takes: { kept: 'uuid', gone: 'uuid' },
  sql: p => `
  with addresses as (
    update person_addresses set person_id = ${p.kept} where person_id = ${p.gone}
  ), notes as (
    update person_notes set person_id = ${p.kept} where person_id = ${p.gone}
  ), aliases as (
    update people set merged_into = ${p.kept} where merged_into = ${p.gone}
  ), gone as (
    update people set merged_into = ${p.kept} where id = ${p.gone} returning *
  )
  update people k set name = coalesce(g.name, k.name), newest = greatest(k.newest, g.newest),
    last_message_id = greatest(k.last_message_id, g.last_message_id),
    read_until = case
      when g.last_message_id is null then k.read_until
      when k.last_message_id is null then g.read_until
      when k.read_until is not null and g.read_until is not null then least(k.read_until, g.read_until) end
  from gone g where k.id = ${p.kept}`,
});

/** Takes numbers that were left from those who left them: whoever writes from one later is somebody else. */
export const LEAVE_NUMBERS = statement('leave numbers', {
  takes: { sightings: SIGHTINGS },
  sql: p => `
  delete from person_addresses a using ${p.sightings('g')}
  where a.account_id = g.account_id and a.value = g.number and a.person_id = ${personBy('g', 'user_id')}`,
});

/**
 * Notes the newest message of each person. Locks the people, so that whoever reads their addresses after it, in a statement of its own, reads all. Answers how
 * many people there are, and how many were still there: one who was merged with another meanwhile is to be sought once more. A stranger was erased meanwhile.
 */
export const NOTE_MESSAGES = statement('note messages of people', {
  takes: { sightings: SIGHTINGS },
  gives: { people: 'int', noted: 'int', strangers: 'int' },
  sql: p => `
  with seen as materialized (
    select coalesce(${personBy('g', 'user_id')}, ${personBy('g', 'number')}) as person_id, g.message_id, g.name, g.is_theirs from ${p.sightings('g')}
  ), newest as materialized (
    select distinct on (person_id) person_id, case when is_theirs then message_id end as message_id, name from seen
    where person_id is not null order by person_id, is_theirs desc, message_id desc
  ), locked as materialized (
    ${lockedInOrder('newest')}
  ), noted as (
    update people k set name = coalesce(n.name, k.name), newest = greatest(k.newest, n.message_id),
      last_message_id = greatest(k.last_message_id, n.message_id)
    from newest n where k.id = any(array(select id from locked)) and k.id = n.person_id returning k.id
  )
  select (select count(*)::int from newest) as people, (select count(*)::int from noted) as noted,
    (select count(*)::int from seen where person_id is null) as strangers`,
});

/** The person with an address; made where nobody has it, which is a number then: ids are learned from messages alone. `LOCK_LISTS` keeps others from making the same one. */
export const ENSURE_PERSON = statement('ensure person', {
  takes: { account: 'uuid', address: 'text', person: 'uuid', newest: 'uuid' },
  gives: { id: 'uuid' },
  sql: p => `
  with known as materialized (
    select person_id from person_addresses where account_id = ${p.account} and value = ${p.address}
  ), listed as (
    update people set newest = ${p.newest} where id in (select person_id from known) and newest is null
  ), made as (
    insert into people (id, account_id, newest)
    select ${p.person}, ${p.account}, ${p.newest} where not exists (select from known) returning id
  ), address as (
    insert into person_addresses (account_id, value, kind, person_id, learned_at)
    select ${p.account}, ${p.address}, 'number', id, clock_timestamp() from made
  )
  select person_id as id from known union all select id from made`,
});
