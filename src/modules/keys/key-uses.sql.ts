/** The statements of what needs a secret key. */
import { statement } from '../../db/statements/statement.ts';
import { isErasedSql } from '../suppressions/erased-names.ts';

/** Rows without a key id are skipped: forgotten secrets (`forget-key.ts`), and the decoy OTP. */
export const FIND_KEY_USES = statement('find key uses', {
  takes: { but: 'text[]' },
  gives: {
    key_id: 'varchar',
    otps: 'int',
    endpoints: 'int',
    connections: 'int',
    factors: 'int',
    rules: 'int',
    stops: 'int',
  },
  sql: p => `
  with used as (
    select key_id, 'otp' as thing, id::text from otps where status in ('pending', 'sent') and expires_at > clock_timestamp()
    union
    select secret_key_id, 'endpoint', id::text from webhook_endpoints
    union
    select previous_secret_key_id, 'endpoint', id::text from webhook_endpoints where previous_secret_until > clock_timestamp()
    union
    select config_key_id, 'connection', id::text from connections where removed_at is null
    union
    select key_id, 'connection', connection_id::text from chat_session_keys
    union
    select creds_key_id, 'connection', connection_id::text from chat_sessions where creds_key_id is not null
    union
    select second_factor_key_id, 'factor', id::text from dashboard_users where second_factor_since is not null
    union
    select slack_key_id, 'rule', id::text from alert_rules where slack_key_id is not null
    union
    select k.key_id, 'stop', s.account_id || s.person from erasure_key k join suppressions s on ${isErasedSql('s.person')}
  )
  select key_id, count(*) filter (where thing = 'otp')::int as otps,
    count(*) filter (where thing = 'endpoint')::int as endpoints,
    count(*) filter (where thing = 'connection')::int as connections,
    count(*) filter (where thing = 'factor')::int as factors,
    count(*) filter (where thing = 'rule')::int as rules,
    count(*) filter (where thing = 'stop')::int as stops
  from used where key_id <> '' and key_id <> all(${p.but}) group by key_id order by key_id`,
});

/** Cancels the live OTPs of a key, and blanks or deletes all else that only this key decrypts. A second factor stays on: recovery codes pass it. */
export const FORGET_KEY = statement('forget key', {
  takes: { keyId: 'text' },
  gives: { passcodes: 'int', endpoints: 'int', connections: 'int', factors: 'int', rules: 'int', stops: 'int' },
  sql: p => `
  with cancelled as (
    update otps set status = 'cancelled' where key_id = ${p.keyId} and status in ('pending', 'sent') returning 1
  ), blanked as (
    update webhook_endpoints
    set secret = case when secret_key_id = ${p.keyId} then '' else secret end,
        secret_key_id = case when secret_key_id = ${p.keyId} then '' else secret_key_id end,
        previous_secret = case when previous_secret_key_id = ${p.keyId} then null else previous_secret end,
        previous_secret_until = case when previous_secret_key_id = ${p.keyId} then null else previous_secret_until end,
        previous_secret_key_id = nullif(previous_secret_key_id, ${p.keyId})
    where secret_key_id = ${p.keyId} or previous_secret_key_id = ${p.keyId} returning 1
  ), closed as (
    update connections set config = '', config_key_id = '' where config_key_id = ${p.keyId} returning removed_at
  ), unlinked as (
    update chat_sessions set state = 'relink', creds = null, creds_key_id = null, error = null where creds_key_id = ${p.keyId}
  ), unkeyed as (
    delete from chat_session_keys where key_id = ${p.keyId}
  ), unread as (
    update dashboard_users set second_factor = '', second_factor_key_id = '' where second_factor_key_id = ${p.keyId}
    returning second_factor_since
  ), silenced as (
    update alert_rules set slack_url = null, slack_key_id = null, slack_host = null where slack_key_id = ${p.keyId} returning 1
  ), unnamed as (
    delete from erasure_key where key_id = ${p.keyId} returning id
  ), resumed as (
    delete from suppressions where ${isErasedSql('person')} and exists (select from unnamed) returning 1
  )
  select (select count(*) from cancelled)::int as passcodes, (select count(*) from blanked)::int as endpoints,
    (select count(*) from closed where removed_at is null)::int as connections,
    (select count(*) from unread where second_factor_since is not null)::int as factors,
    (select count(*) from silenced)::int as rules, (select count(*) from resumed)::int as stops`,
});
