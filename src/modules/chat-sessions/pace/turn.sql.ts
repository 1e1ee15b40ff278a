/** The statements of the pace of a number, and of the people whom it knows. */
import { typed } from '../../../db/statements/sql-types.ts';
import { statement } from '../../../db/statements/statement.ts';

/** The reason why a number writes to nobody new. The server locked it, or lets it begin no more chats; or it met enough people today. */
export type Hold = 'locked' | 'capped' | 'new_people';

/** The reason why a number has no turn for somebody: beside those, its next turn is far off. */
export type TurnFault = Hold | 'pace';

/** The most turns that are remembered: those of the last minute. */
const TURNS_MAX = 60;

/** People whom the number wrote to first since then. Whoever wrote first is known from the first on, and was not written to. */
const metSince = (c: string, since: string): string =>
  `${c}.first_at > ${since} and ${c}.known_at is distinct from ${c}.first_at`;

/** Those of a day. */
const metToday = (c: string): string => metSince(c, `clock_timestamp() - interval '24 hours'`);

/** The chats that a number has begun: those that the server told of, and its own since. */
const begun = (s: string): string =>
  `${s}.new_chats_used + (select count(*) from chat_contacts c where c.connection_id = ${s}.connection_id and ${metSince('c', `${s}.limits_at`)})`;

/** Whether what the server told of new chats holds still: without a time it lasts a day. */
const capHolds = (s: string): string =>
  `coalesce(${s}.new_chats_until, ${s}.limits_at + interval '24 hours') > clock_timestamp()`;

/** A number that was linked today may write to a seventh of the new people that it may write to after a week. */
const allowed = (s: string, newPeople: string): string =>
  `ceil(${newPeople} * least(1, (floor(extract(epoch from clock_timestamp() - coalesce(${s}.linked_at, clock_timestamp())) / 86400) + 1) / 7))::int`;

/** A number, a person, and why the number may not write to them now, and until when. @param isOurs a condition on the session `s` */
const looked = (p: Readonly<Record<'connection' | 'person' | 'newPeople', string>>, isOurs: string): string => `
  session as materialized (
    select turns, locked_until, new_chats_until, locked_since is not null and coalesce(locked_until > clock_timestamp(), true) as is_locked,
      coalesce(${begun('s')} >= new_chats and ${capHolds('s')}, false) as is_capped,
      ${allowed('s', p.newPeople)} as allowed
    from chat_sessions s where connection_id = ${p.connection} and ${isOurs}
  ), contact as materialized (
    select known_at is not null as is_known from chat_contacts where connection_id = ${p.connection} and person = ${p.person}
  ), today as materialized (
    select count(*)::int as people, min(first_at) + interval '24 hours' as ends_at from chat_contacts c
    where connection_id = ${p.connection} and ${metToday('c')}
  ), known as materialized (
    select exists (select from contact) as is_met, coalesce((select is_known from contact), false) as is_known
  ), looked as materialized (
    select *, case
        when is_locked and not is_known then 'locked'
        when is_capped and not is_met then 'capped'
        when people >= allowed and not is_met then 'new_people'
      end as hold
    from session, today, known
  )`;

/** When a hold ends. */
const HOLD_ENDS = `case hold when 'locked' then locked_until when 'capped' then new_chats_until when 'new_people' then ends_at end`;

/** Locks a number to the end of the transaction. */
export const LOCK_NUMBER = statement('lock chat number', {
  takes: { connection: 'uuid' },
  sql: p => `select from chat_sessions where connection_id = ${p.connection} for no key update`,
});

/**
 * Takes a turn of a locked number for a person, where the session is this process's. Answers how long it is off, or why there is none, and until when. Turns are
 * `gapMs` apart at least.
 */
export const CLAIM_CHAT_TURN = statement('claim chat turn', {
  takes: {
    connection: 'uuid',
    owner: 'uuid',
    person: 'text',
    perMinute: 'int',
    newPeople: 'int',
    gapMs: 'float8',
    patienceMs: 'float8',
  },
  gives: {
    fault: typed<TurnFault | null>('text'),
    wait_ms: 'float8',
    until: 'timestamptz?',
    is_known: 'boolean',
  },
  sql: p => `
  with ${looked(p, `owner = ${p.owner} and lease_until > clock_timestamp()`)}, timed as materialized (
    select *, ${HOLD_ENDS} as hold_ends, greatest(clock_timestamp(), turns[cardinality(turns)] + ${p.gapMs} * interval '1 ms',
      turns[cardinality(turns) - ${p.perMinute} + 1] + interval '1 minute') as turn_at
    from looked
  ), judged as materialized (
    select *, coalesce(hold, case when turn_at > clock_timestamp() + ${p.patienceMs} * interval '1 ms' then 'pace' end) as fault from timed
  ), taken as (
    update chat_sessions s set turns = (s.turns || j.turn_at)[greatest(cardinality(s.turns) + 2 - ${TURNS_MAX}, 1):]
    from judged j where s.connection_id = ${p.connection} and j.fault is null
  ), met as (
    insert into chat_contacts as c (connection_id, person, first_at, last_at)
    select ${p.connection}, ${p.person}, turn_at, turn_at from judged where fault is null
    on conflict (connection_id, person) do update set last_at = excluded.last_at
  )
  select fault, (extract(epoch from turn_at - clock_timestamp()) * 1000)::float8 as wait_ms, is_known,
    case fault when 'pace' then turn_at else hold_ends end as until
  from judged`,
});

/** Why a number may not write to a person now, whoever owns its session. None: it may. */
export const READ_HOLD = statement('read chat hold', {
  takes: { connection: 'uuid', person: 'text', newPeople: 'int' },
  gives: { hold: typed<Hold>('text'), until: 'timestamptz?' },
  sql: p =>
    `with ${looked(p, `state = 'linked'`)} select hold, ${HOLD_ENDS} as until from looked where hold is not null`,
});

/** Notes that the server took a text for a person. The session is locked first, as a turn does: neither waits for the other. */
export const NOTE_ACK = statement('note chat ack', {
  takes: { connection: 'uuid', person: 'text' },
  sql: p => `
  with acked as (
    update chat_sessions set last_ack_at = clock_timestamp() where connection_id = ${p.connection} returning connection_id
  )
  update chat_contacts c set known_at = clock_timestamp() from acked a
  where c.connection_id = a.connection_id and c.person = ${p.person} and c.known_at is null`,
});

/** Forgets a person to whom no text has left, unless another text was on its way to them: that one may have. */
export const FORGET_CONTACT = statement('forget chat contact', {
  takes: { connection: 'uuid', person: 'text' },
  sql: p =>
    `delete from chat_contacts where connection_id = ${p.connection} and person = ${p.person} and known_at is null and last_at = first_at`,
});

/** Notes people who wrote, by each address that they have, in their order: of two writers none waits for the other. */
export const NOTE_WRITERS = statement('note chat writers', {
  takes: { connection: 'uuid', people: 'text[]' },
  sql: p => `
  insert into chat_contacts as c (connection_id, person, first_at, last_at, known_at)
  select distinct ${p.connection}, person, now(), now(), now() from unnest(${p.people}) as u(person) order by person
  on conflict (connection_id, person) do update set last_at = excluded.last_at, known_at = coalesce(c.known_at, excluded.known_at)`,
});

/** Forgets people whom a number has not met for so many days, but for those who are being noted just now. */
export const PURGE_CONTACTS = statement('purge chat contacts', {
  takes: { days: 'int' },
  sql: p => `
  with over as materialized (
    select connection_id, person from chat_contacts where last_at < clock_timestamp() - make_interval(days => ${p.days}) for update skip locked
  )
  delete from chat_contacts where (connection_id, person) in (select connection_id, person from over)`,
});

/**
 * Keeps what the server lets a number do, as it told when it was asked `tookMs` ago. A lock lasts until its time, whatever is told meanwhile: a text to find out
 * makes it worse. The cap before lasts until its time where nothing is told of one. Without a time each lasts a day.
 */
export const KEEP_LIMITS = statement('keep chat limits', {
  takes: {
    connection: 'uuid',
    owner: 'uuid',
    isLocked: 'boolean',
    lockedUntil: 'timestamptz?',
    newChats: 'int?',
    newChatsUsed: 'int?',
    newChatsUntil: 'timestamptz?',
    tookMs: 'float8',
  },
  sql: p => {
    const stays = `${p.newChats} is null and s.new_chats is not null and ${capHolds('s')}`;
    return `
  update chat_sessions s set
    locked_since = case when ${p.isLocked} then coalesce(locked_since, clock_timestamp()) when locked_until > clock_timestamp() then locked_since end,
    locked_until = case when ${p.isLocked} then coalesce(${p.lockedUntil}, greatest(locked_until, clock_timestamp() + interval '24 hours')) when locked_until > clock_timestamp() then locked_until end,
    new_chats = case when ${stays} then new_chats else ${p.newChats} end,
    new_chats_used = case when ${stays} then new_chats_used else ${p.newChatsUsed} end,
    new_chats_until = case when ${stays} then new_chats_until else ${p.newChatsUntil} end,
    limits_at = case when ${stays} then limits_at else clock_timestamp() - ${p.tookMs} * interval '1 ms' end
  where connection_id = ${p.connection} and owner = ${p.owner}`;
  },
});

/** The new chats that the server lets a number begin, and how many of those it has begun. None: it told of no bound that holds still. */
export const READ_NEW_CHATS = statement('read new chats', {
  takes: { connection: 'uuid' },
  gives: { allowed: 'int', used: 'int', until: 'timestamptz?' },
  sql: p => `
  select new_chats as allowed, coalesce(${begun('s')}, 0)::int as used, new_chats_until as until from chat_sessions s
  where connection_id = ${p.connection} and new_chats is not null and ${capHolds('s')}`,
});

/** How much of its pace a number has used, and may use at its age. */
export const READ_PACE = statement('read chat pace', {
  takes: { connection: 'uuid', newPeople: 'int' },
  gives: { sent_last_minute: 'int', new_people: 'int', new_people_allowed: 'int' },
  sql: p => `
  select
    (select count(*) from unnest(s.turns) as t(at) where at > clock_timestamp() - interval '1 minute')::int as sent_last_minute,
    (select count(*) from chat_contacts c where c.connection_id = s.connection_id and ${metToday('c')})::int as new_people,
    ${allowed('s', p.newPeople)} as new_people_allowed
  from chat_sessions s where s.connection_id = ${p.connection}`,
});
