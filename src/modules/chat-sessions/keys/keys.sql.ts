/** The statements on keys of sessions. */
import { after } from '../../../db/statements/order.sql.ts';
import { records } from '../../../db/statements/records.ts';
import { statement } from '../../../db/statements/statement.ts';

/** The keys of one kind that are there. */
export const READ_KEYS = statement('read session keys', {
  takes: { connection: 'uuid', kind: 'text', ids: 'text[]' },
  gives: { id: 'text', value: 'text', key_id: 'varchar' },
  sql: p => `select id, value, key_id from chat_session_keys
    where connection_id = ${p.connection} and kind = ${p.kind} and id = any(${p.ids})`,
});

/** The columns of the lock and the cap that a server sets for a number. */
const LIMITS = ['locked_since', 'locked_until', 'new_chats', 'new_chats_used', 'new_chats_until', 'limits_at'];

/**
 * Stores keys, and the credentials where they are given, while the session is this process's. A process that takes it over waits for this, or this fails.
 * With its first credentials the number is linked: the phone gets its answer only then. The contacts, turns and
 * limits of another number before it are dropped. A key without a value is deleted. None: the session is another's, or nobody's, and nothing is stored.
 */
export const KEEP_KEYS = statement('keep session keys', {
  takes: {
    connection: 'uuid',
    owner: 'uuid',
    /** The number that is linked, in digits. */
    number: 'text',
    keys: records('kind text, id text, value text?, key_id varchar'),
    creds: 'text?',
    credsKeyId: 'varchar?',
  },
  gives: { is_ours: 'boolean' },
  sql: p => `
  with ours as materialized (
    select connection_id from chat_sessions
    where connection_id = ${p.connection} and owner = ${p.owner} and lease_until > clock_timestamp() for no key update
  ), keys as materialized (
    select k.* from ${p.keys('k')} where exists (select from ours)
  ), deleted as (
    delete from chat_session_keys s using keys k
    where k.value is null and s.connection_id = ${p.connection} and s.kind = k.kind and s.id = k.id
  ), kept as (
    insert into chat_session_keys (connection_id, kind, id, value, key_id)
    select ${p.connection}, kind, id, value, key_id from keys where value is not null
    on conflict (connection_id, kind, id) do update set value = excluded.value, key_id = excluded.key_id
  ), forgotten as (
    delete from chat_contacts where connection_id in (
      select s.connection_id from chat_sessions s join ours using (connection_id) where ${p.creds} is not null and s.number <> ${p.number})
  ), known as (
    update chat_sessions set creds = ${p.creds}, creds_key_id = ${p.credsKeyId}, number = ${p.number}, state = 'linked',
      state_since = case when state = 'linked' then state_since else clock_timestamp() end,
      linked_at = case when state = 'linked' then linked_at else clock_timestamp() end,
      error = case when state = 'linked' then error end, turns = case when number <> ${p.number} then '{}' else turns end,
      ${LIMITS.map(column => `${column} = case when number <> ${p.number} then null else ${column} end`).join(', ')}
    where ${p.creds} is not null and connection_id in (select connection_id from ours)
  )
  select true as is_ours from ours`,
});

/** Answers whether a session was unlinked. None: it was not, or is being linked anew. */
export const WAS_UNLINKED = statement('was session unlinked', {
  takes: { connection: 'uuid' },
  gives: { connection_id: 'uuid' },
  sql: p =>
    `select connection_id from chat_sessions where connection_id = ${p.connection} and state = 'unlinked' and owner is null`,
});

/** Finds keys that these secret keys have sealed, a piece at a time. */
export const FIND_FORMER_KEYS = statement('find former session keys', {
  takes: { keyIds: 'text[]', limit: 'int' },
  gives: { connection_id: 'uuid', kind: 'text', id: 'text', value: 'text', key_id: 'varchar' },
  sql: p => `
  select connection_id, kind, id, value, key_id from chat_session_keys where key_id = any(${p.keyIds})
  union all
  select connection_id, '', '', creds, creds_key_id from chat_sessions where creds_key_id = any(${p.keyIds})
  limit ${p.limit}`,
});

/** Replaces what was sealed, where it has not changed meanwhile. The sessions are locked first, as where an owner stores keys. */
export const RESEAL_KEYS = statement('reseal session keys', {
  takes: { rows: records('connection_id uuid, kind text, id text, before text, value text, key_id varchar') },
  sql: p => `
  with rows as materialized (
    select * from ${p.rows('r')}
  ), sessions as materialized (
    select from chat_sessions where connection_id in (select connection_id from rows) order by connection_id for no key update
  ), creds as (
    update chat_sessions s set creds = r.value, creds_key_id = r.key_id from rows r
    where r.kind = '' and s.connection_id = r.connection_id and s.creds = r.before and ${after('sessions')}
  )
  update chat_session_keys k set value = r.value, key_id = r.key_id from rows r
  where k.connection_id = r.connection_id and k.kind = r.kind and k.id = r.id and k.value = r.before and ${after('sessions')}`,
});
