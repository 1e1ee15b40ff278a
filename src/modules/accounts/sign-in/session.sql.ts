/** The statements on sessions and on what guards sign-ins. The database's clock decides what is over. */
import { statement } from '../../../db/statements/statement.ts';

/** How long a session lasts at most, and how long while nobody uses it: 30 days, 24 hours. */
const LIFETIME = `interval '30 days'`;
const IDLE = `interval '24 hours'`;

/** How long failed sign-ins are remembered after the last of them, and a lock holds. */
const REMEMBERED = `interval '15 minutes'`;

/** Whether a session opens anything. */
const IS_ALIVE = `s.expires_at > clock_timestamp() and s.last_seen_at > clock_timestamp() - ${IDLE}`;

/** Whether its stored last use is more than a minute old. */
const IS_STALE = `s.last_seen_at < clock_timestamp() - interval '1 minute'`;

/** A session with the person behind it, and whether the account waits for that person's second factor; an operator's has none. */
const SESSION = `s.id as session_id, s.operator_hash, ${IS_STALE} as is_stale, u.id as user_id, u.email, u.role, u.account_id,
    a.second_factor_required and u.second_factor_since is null and u.oidc_subject is null as must_enrol
  from dashboard_sessions s left join dashboard_users u on u.id = s.user_id left join accounts a on a.id = u.account_id`;

const SESSION_TYPES = {
  session_id: 'uuid',
  operator_hash: 'varchar?',
  is_stale: 'boolean',
  user_id: 'uuid?',
  email: 'text?',
  role: 'text?',
  account_id: 'uuid?',
  must_enrol: 'boolean?',
} as const;

/** The condition of a purge: sessions whose time is over. */
export const SESSION_IS_OVER = `expires_at < now() or last_seen_at < now() - ${IDLE}`;

/** The live session of a hash. */
export const LOAD_SESSION = statement('load session', {
  takes: { hash: 'text' },
  gives: SESSION_TYPES,
  sql: p => `select ${SESSION} where s.hash = ${p.hash} and ${IS_ALIVE}`,
});

/** Those of these sessions that are alive. */
export const RELOAD_SESSIONS = statement('reload sessions', {
  takes: { ids: 'uuid[]' },
  gives: SESSION_TYPES,
  sql: p => `select ${SESSION} where s.id = any(${p.ids}) and ${IS_ALIVE}`,
});

/** The live sessions of a person; null: of the operator. */
export const LIST_SESSIONS = statement('list sessions', {
  takes: { user: 'uuid?' },
  gives: { id: 'uuid' },
  sql: p => `select s.id from dashboard_sessions s where s.user_id is not distinct from ${p.user} and ${IS_ALIVE}`,
});

/** Stores that a session was used now. */
export const TOUCH_SESSION = statement('touch session', {
  takes: { id: 'uuid' },
  sql: p => `update dashboard_sessions s set last_seen_at = clock_timestamp() where s.id = ${p.id} and ${IS_STALE}`,
});

/** Stores a session that begins now. */
export const START_SESSION = statement('start session', {
  takes: { id: 'uuid', hash: 'text', user: 'uuid?', operatorHash: 'text?', address: 'text', agent: 'text?' },
  gives: { expires_at: 'timestamptz' },
  sql: p => `insert into dashboard_sessions
      (id, hash, user_id, operator_hash, client_address, user_agent, created_at, last_seen_at, expires_at)
    select ${p.id}, ${p.hash}, ${p.user}, ${p.operatorHash}, ${p.address}, ${p.agent}, at, at, at + ${LIFETIME}
    from (select clock_timestamp() as at) clock
    returning expires_at`,
});

/** When a device that is known from now on ends, in seconds since 1970. */
export const NEW_DEVICE_UNTIL = statement('new device until', {
  takes: { seconds: 'int' },
  gives: { until: 'float8' },
  sql: p => `select extract(epoch from clock_timestamp())::float8 + ${p.seconds} as until`,
});

/**
 * Takes a place for one more sign-in under a key, as if it had failed. No row: all are taken, or the key is over since `until`. One
 * statement, so that of any number at once no more get in than there are places. Only a failure has the time run anew.
 */
export const TAKE_TRY = statement('take try', {
  takes: { key: 'text', quota: 'int', until: 'timestamptz?' },
  gives: { failures: 'int' },
  sql: p => `insert into sign_in_guards as g (key, failures, over_at)
    select ${p.key}, 1, clock_timestamp() + ${REMEMBERED}
    where ${p.until} is null or ${p.until} > clock_timestamp()
    on conflict (key) do update
    set failures = case when g.over_at <= clock_timestamp() then 1 else g.failures + 1 end,
      over_at = case when g.over_at <= clock_timestamp() then excluded.over_at else g.over_at end
    where g.over_at <= clock_timestamp() or g.failures < ${p.quota}
    returning failures`,
});

/** Seconds until the failures under a key are forgotten. */
export const WAIT_FOR_TRY = statement('wait for try', {
  takes: { key: 'text' },
  gives: { seconds: 'float8' },
  sql: p => `select extract(epoch from over_at - clock_timestamp())::float8 as seconds
    from sign_in_guards where key = ${p.key}`,
});

/** Commits without a change, which takes as long as an entry of the audit trail. */
export const KEEP_TRIES = statement('keep tries', {
  takes: { key: 'text' },
  sql: p => `update sign_in_guards set failures = failures where key = ${p.key}`,
});

/** Has the time of a key run anew: that sign-in was wrong. */
export const PROLONG_TRIES = statement('prolong tries', {
  takes: { key: 'text' },
  sql: p => `update sign_in_guards set over_at = clock_timestamp() + ${REMEMBERED} where key = ${p.key}`,
});

/** Gives a place back: that sign-in was right, or not looked at. */
export const GIVE_TRY_BACK = statement('give try back', {
  takes: { key: 'text' },
  sql: p => `update sign_in_guards set failures = greatest(failures - 1, 0) where key = ${p.key}`,
});

/** Forgets the failures under a key. */
export const FORGET_TRIES = statement('forget tries', {
  takes: { key: 'text' },
  sql: p => `delete from sign_in_guards where key = ${p.key}`,
});
