/** The statements by which one process at a time owns a session. */
import { CHAT_ADDRESS, OUR_ADDRESS } from '../../channels/chat-qr/driver/addresses.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';
import type { SESSION_STATES } from './chat-session.entity.ts';

/** The channel of LISTEN and NOTIFY on which processes tell that a session has changed; its payload is empty. */
export const SESSION_CHANNEL = 'heliograph_chat_sessions';

const lease = (seconds: string): string => `clock_timestamp() + make_interval(secs => ${seconds})`;

/** Keys of a session, but for how the chat writes numbers, which a phone that is linked anew needs still. */
const OF_ONE_LINK = `kind not in ('${CHAT_ADDRESS}', '${OUR_ADDRESS}')`;

const FREE = '(lease_until is null or lease_until <= clock_timestamp())';

/**
 * Goes on with the sessions that this process holds, and takes those of the wanted ones that nobody owns. Each is taken by a new owner: what is left of a
 * former time changes nothing. One that is not answered is not its any more. An outdated one is tried by each process that has not found it so: that may be
 * a newer gateway. Of one number it is the one that was linked last.
 */
export const TAKE_SESSIONS = statement('take sessions', {
  takes: { held: 'uuid[]', owners: 'uuid[]', wanted: 'uuid[]', outdated: 'uuid[]', leaseSeconds: 'int' },
  gives: { connection_id: 'uuid', new_owner: 'uuid?', number: 'text?', creds: 'text?', creds_key_id: 'varchar?' },
  sql: p => `
  with renewed as (
    update chat_sessions set lease_until = ${lease(p.leaseSeconds)}
    where connection_id = any(${p.held}) and owner = any(${p.owners}) and lease_until > clock_timestamp()
    returning connection_id
  ), free as materialized (
    select connection_id from chat_sessions s where connection_id = any(${p.wanted}) and ${FREE}
      and (state = 'linked' or state = 'outdated' and creds is not null and connection_id <> all(${p.outdated}) and not exists (
        select from chat_sessions o where o.number = s.number and (
          o.state = 'linked' or o.state = 'outdated' and (o.linked_at, o.connection_id) > (s.linked_at, s.connection_id))))
    order by connection_id for update skip locked
  ), taken as (
    update chat_sessions s set owner = gen_random_uuid(), lease_until = ${lease(p.leaseSeconds)}, is_open = false, state = 'linked',
      state_since = case when state = 'linked' then state_since else clock_timestamp() end, error = case when state = 'linked' then error end
    from free where s.connection_id = free.connection_id
    returning s.connection_id, s.owner, s.number, s.creds, s.creds_key_id
  )
  select connection_id, null::uuid as new_owner, null::text as number, null::text as creds, null::varchar as creds_key_id from renewed
  union all
  select connection_id, owner, number, creds, creds_key_id from taken`,
});

/**
 * Takes a locked session that is to be linked, and forgets what it was made of. Whoever links it loses it, as long as no phone has taken a code: it is linked by
 * then, before the phone is answered. None: it is linked, or nobody accepted its risks.
 */
export const TAKE_TO_LINK = statement('take to link', {
  takes: { connection: 'uuid', owner: 'uuid', leaseSeconds: 'int' },
  gives: { connection_id: 'uuid' },
  sql: p => `
  with taken as (
    update chat_sessions set owner = ${p.owner}, lease_until = ${lease(p.leaseSeconds)}, is_open = false, creds = null, creds_key_id = null
    where connection_id = ${p.connection} and state <> 'linked' and risks_accepted_at is not null
    returning connection_id
  ), forgotten as (
    delete from chat_session_keys where connection_id in (select connection_id from taken) and ${OF_ONE_LINK}
  ), told as (
    select pg_notify('${SESSION_CHANNEL}', '') from taken
  )
  select connection_id from taken, told`,
});

/**
 * Notes how a session is, by the process that owns it. `ends`: the process gives it up. `wipes`: what it was made of is forgotten; the session is
 * locked before. `ifUntaken`: only where no phone has taken a code. Answers whether it was noted.
 */
export const NOTE_SESSION = statement('note session', {
  takes: {
    connection: 'uuid',
    owner: 'uuid',
    state: typed<(typeof SESSION_STATES)[number] | null>('text'),
    isOpen: 'boolean',
    error: 'text?',
    ends: 'boolean',
    wipes: 'boolean',
    ifUntaken: 'boolean',
  },
  gives: { is_noted: 'boolean' },
  sql: p => `
  with noted as (
    update chat_sessions set
      state = coalesce(${p.state}, state),
      state_since = case when ${p.state} is distinct from state and ${p.state} is not null then clock_timestamp() else state_since end,
      is_open = ${p.isOpen}, error = ${p.error},
      creds = case when ${p.wipes} then null else creds end,
      creds_key_id = case when ${p.wipes} then null else creds_key_id end,
      owner = case when ${p.ends} then null else owner end,
      lease_until = case when ${p.ends} then null else lease_until end
    where connection_id = ${p.connection} and owner = ${p.owner} and (creds is null or not ${p.ifUntaken})
    returning connection_id
  ), forgotten as (
    delete from chat_session_keys where ${p.wipes} and connection_id in (select connection_id from noted) and ${OF_ONE_LINK}
  ), told as (
    select pg_notify('${SESSION_CHANNEL}', '') from noted
  )
  select true as is_noted from told`,
});

/** Ends a session for good, whoever owns it: its owner finds out by its next look. */
export const UNLINK_SESSION = statement('unlink session', {
  takes: { connection: 'uuid' },
  gives: { connection_id: 'uuid' },
  sql: p => `
  with ended as (
    update chat_sessions set state = 'unlinked', state_since = clock_timestamp(), is_open = false, error = null, creds = null, creds_key_id = null,
      owner = null, lease_until = null, linked_at = null
    where connection_id = ${p.connection} and (state <> 'unlinked' or owner is not null)
    returning connection_id
  ), forgotten as (
    -- Of one that is unlinked already, too: a link that failed keeps how the chat writes numbers.
    delete from chat_session_keys where connection_id = ${p.connection}
  ), told as (
    select pg_notify('${SESSION_CHANNEL}', '') from ended
  )
  select connection_id from ended, told`,
});

/** Notes who accepted the risks of a number. None: somebody has before. */
export const ACCEPT_RISKS = statement('accept chat risks', {
  takes: { connection: 'uuid', by: 'text' },
  gives: { connection_id: 'uuid' },
  sql: p => `
  insert into chat_sessions as s (connection_id, state_since, risks_accepted_by, risks_accepted_at)
  values (${p.connection}, clock_timestamp(), ${p.by}, clock_timestamp())
  on conflict (connection_id) do update set risks_accepted_by = excluded.risks_accepted_by, risks_accepted_at = excluded.risks_accepted_at
    where s.risks_accepted_at is null
  returning connection_id`,
});
