/** The statements that note states, and tell and send alerts, by the database's clock. */
import { idSql, timeSql } from '../../db/statements/json.sql.ts';
import { after } from '../../db/statements/order.sql.ts';
import { records } from '../../db/statements/records.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';
import { UUID7 } from '../../db/statements/uuid7.sql.ts';
import type { AlertKind } from '../answers/alert-kind.ts';
import { eventCtes } from '../webhooks/events/record-events.sql.ts';

/**
 * Notes the result of a look at the rules of a kind. All that is not `ill` is well, save for the rules that are `unclear`. A look changes
 * nothing where a newer one was noted, or where the rule was changed since.
 */
export const NOTE_READING = statement('note reading', {
  takes: {
    kind: 'text',
    at: 'timestamptz',
    ill: records('rule uuid, subject text, name text?, value float8?, since timestamptz?'),
    unclear: 'uuid[]',
  },
  sql: p => `
  with ill as materialized (
    select i.* from ${p.ill('i')} join alert_rules r on r.id = i.rule
    where r.kind = ${p.kind} and not r.is_paused and r.updated_at < ${p.at} for key share of r
  ), held as materialized (
    -- In one order, since another process may note or tell the same ones.
    select s.rule_id, s.subject from alert_states s join alert_rules r on r.id = s.rule_id
    where r.kind = ${p.kind} and (s.ill_since is not null or exists (select from ill where ill.rule = s.rule_id and ill.subject = s.subject))
    order by s.rule_id, s.subject for no key update of s
  ), noted as (
    insert into alert_states (rule_id, subject, name, value, ill_since, noted_at)
    select rule, subject, name, value, coalesce(since, ${p.at}), ${p.at} from ill where ${after('held')} order by rule, subject
    on conflict (rule_id, subject) do update set name = excluded.name, value = excluded.value, noted_at = excluded.noted_at,
      ill_since = coalesce(alert_states.ill_since, excluded.ill_since)
    where alert_states.noted_at < excluded.noted_at
  )
  update alert_states s set ill_since = null, noted_at = ${p.at} from alert_rules r
  where r.id = s.rule_id and r.kind = ${p.kind} and s.ill_since is not null and s.noted_at < ${p.at}
    and (s.rule_id <> all(${p.unclear}) or s.raised_at is null) and not exists (select from ill where ill.rule = s.rule_id and ill.subject = s.subject)
    and ${after('held')}`,
});

/** Whether state `s` of rule `r` is due for an alert: ill for long enough and not quieted, or well again after an alert. */
const IS_DUE = `not r.is_paused and case when s.ill_since is null then s.raised_at is not null
  else s.raised_at is null and s.ill_since + r.lasting_minutes * interval '1 minute' <= clock_timestamp()
    and (s.quiet_until is null or s.quiet_until <= clock_timestamp()) end`;

/**
 * Writes each alert that is due, once: the same statement changes the state that made it due, so a second process finds nothing left.
 * A send for each way of the rule, and the event, are written with it.
 */
export const TELL_DUE = statement('tell due alerts', {
  gives: {
    alert: 'uuid',
    account: 'uuid',
    kind: typed<AlertKind>('text'),
    raised: 'boolean',
    send: 'uuid?',
  },
  sql: () => `
  with due as materialized (
    select s.rule_id, s.subject from alert_states s join alert_rules r on r.id = s.rule_id
    where ${IS_DUE} order by s.rule_id, s.subject for no key update of s
  ), told as (
    update alert_states s set
      raised_at = case when s.ill_since is not null then clock_timestamp() end,
      told_since = coalesce(s.ill_since, s.told_since),
      quiet_until = case when s.ill_since is null then s.quiet_until else clock_timestamp() + r.quiet_minutes * interval '1 minute' end
    from due d join alert_rules r on r.id = d.rule_id
    where s.rule_id = d.rule_id and s.subject = d.subject
    returning r.id as rule_id, r.account_id, r.kind, r.threshold, r.mail, r.slack_host, nullif(s.subject, '') as subject, s.name, s.value,
      s.told_since as since, s.ill_since is not null as is_raised
  ), made as materialized (
    select ${UUID7} as id, t.*, clock_timestamp() as at from told t
  ), alerts_made as (
    insert into alerts (id, account_id, rule_id, kind, is_raised, subject, name, value, threshold, since, created_at)
    select id, account_id, rule_id, kind, is_raised, subject, name, value, threshold, since, at from made
  ), sends as (
    insert into alert_sends (id, alert_id, way, target)
    select ${UUID7}, m.id, w.way, w.target from made m cross join lateral (
      select 'mail' as way, unnest(m.mail) as target union all select 'slack', m.slack_host where m.slack_host is not null) w
    returning id, alert_id
  ), ${eventCtes('(select array_agg(account_id) from made)::uuid[]', [
    {
      from: 'made',
      where: 'true',
      of: 'made',
      events: { 'alert.raised': 'made.is_raised', 'alert.cleared': 'not made.is_raised' },
      data: `json_build_object('alertId', ${idSql('alt', 'made.id')}, 'ruleId', ${idSql('alr', 'made.rule_id')}, 'kind', made.kind,
        'subject', made.subject, 'name', made.name, 'value', trunc(made.value::numeric, 1), 'threshold', made.threshold,
        'since', ${timeSql('made.since')})`,
    },
  ])}
  select m.id as alert, m.account_id as account, m.kind, m.is_raised as raised, s.id as send from made m left join sends s on s.alert_id = m.id`,
});

/** Deletes states that are not needed any more: well, all told, and the quiet is over. Locked ones stay: a process notes or tells them just now. */
export const FORGET_WELL = statement('forget well alert states', {
  sql: () => `
  with well as materialized (
    select rule_id, subject from alert_states
    where ill_since is null and raised_at is null and (quiet_until is null or quiet_until <= clock_timestamp()) for update skip locked
  )
  delete from alert_states where (rule_id, subject) in (select rule_id, subject from well)`,
});

/** A pending send of an alert, with all that its text needs. */
export const READ_SEND = statement('read alert send', {
  takes: { send: 'uuid' },
  gives: {
    way: typed<'mail' | 'slack'>('text'),
    target: 'text',
    tries: 'int',
    account: 'text',
    kind: typed<AlertKind>('text'),
    isRaised: 'boolean',
    name: 'text?',
    value: 'float8?',
    threshold: 'int?',
    since: 'timestamptz',
    at: 'timestamptz',
    rule: 'uuid',
    slackUrl: 'text?',
    slackKeyId: 'varchar?',
  },
  sql: p => `
  select s.way, s.target, s.tries, c.name as account, a.kind, a.is_raised as "isRaised", a.name, a.value, a.threshold, a.since,
    a.created_at as at, a.rule_id as rule, r.slack_url as "slackUrl", r.slack_key_id as "slackKeyId"
  from alert_sends s join alerts a on a.id = s.alert_id join accounts c on c.id = a.account_id
  left join alert_rules r on r.id = a.rule_id
  where s.id = ${p.send} and s.status = 'pending'`,
});

/** Stores the result of a try. */
export const NOTE_SEND = statement('note alert send', {
  takes: { send: 'uuid', status: 'text', error: 'text?' },
  sql: p => `update alert_sends set status = ${p.status}, error = ${p.error}, tries = tries + 1,
      finished_at = case when ${p.status} <> 'pending' then clock_timestamp() end
    where id = ${p.send} and status = 'pending'`,
});
