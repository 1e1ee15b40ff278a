/** The statements of the batch *settle*, and the facts of a kind of send that they need. */
import { after, telling } from '../../db/statements/order.sql.ts';
import { RANGED_IDS } from '../../db/statements/ranged-ids.ts';
import { records, toldIds } from '../../db/statements/records.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';
import { capture, HOLD_COLUMNS, holdCtes, holdingCte, isPaidSql, TODAY } from '../billing/ledger.sql.ts';
import type { Shortage } from '../billing/shortage.ts';
import { attemptEvents, BAD_STATUSES, GOOD_STATUSES } from '../webhooks/events/event-data.sql.ts';
import { quietOrTelling } from '../webhooks/events/quiet-or-telling.ts';
import { type EventSource, eventCtes, isTold } from '../webhooks/events/record-events.sql.ts';
import { LOG_CHANNEL } from './announce-log.ts';
import { hasReached, WAITS, waitCtes } from './follow-ups/waits.sql.ts';
import { ATTEMPTS } from './rows.ts';

/** The storage of a kind of send: its table, and the column of `attempts` that names it. */
export interface SendTable {
  readonly table: 'messages' | 'otps';
  readonly key: 'message_id' | 'pin_id';
  /**
   * The events of the end of a routing, for webhooks.
   * @param sends a CTE of sends with `is_over`, the outcome (`end_status`, `end_channel`), whether it is news (`is_news`), and whether another channel
   * may follow in time (`waits`)
   * @param attempts the attempts of a row of `sends` as they are now, as a FROM clause that names them `a`
   */
  events(sends: string, attempts: string): readonly EventSource[];
}

/**
 * Ends routings whose last attempt a provider has just taken, the usual end. Checks the leases, writes the attempts, and spends what was
 * held for them. Accounts are locked first here as everywhere: whoever heals a send, or charges a receipt, waits for both.
 * `is_told` says whether webhooks are told of any of the accounts. The quiet one leaves out the parts that write events, a seventh of
 * PostgreSQL's work for a send, and changes nothing where webhooks are told.
 */
const endStatement = ({ table, key, events }: SendTable, isQuiet: boolean) =>
  statement(`end ${table}${isQuiet ? ' quietly' : ''}`, {
    takes: {
      ...RANGED_IDS,
      /** Each with its attempt: of two steps of one send, one of which has lost its lease, only the other's is written. */
      steps: records('id uuid, lease text, status text, channel text, attempt uuid'),
      attempts: ATTEMPTS,
      accounts: 'uuid[]',
      payingAccounts: 'uuid[]',
      logged: toldIds,
    },
    gives: { is_told: 'boolean', id: 'uuid?', lease: 'text?' },
    sql: p => `
  with told as materialized (
    select ${isTold(p.accounts)} as is_told
  ), paying as materialized (
    select id from accounts where id = any(${p.payingAccounts}) order by id for no key update
  ), leased as (
    update ${table} m
    set status = case when m.status in ('pending', 'unknown') then r.status else m.status end,
        channel = coalesce(m.channel, r.channel), lease_until = null, under_way = null, held = 0
    from ${p.steps('r')}
    where m.id = r.id and m.lease_until = r.lease::timestamptz and m.id = any(${p.ids}) and m.id between ${p.lowestId} and ${p.highestId}
      and ${after('paying')}${isQuiet ? ' and not (select is_told from told)' : ''}
    returning m.*, r.lease, r.attempt, true as is_over, true as is_news, false as waits, r.status as end_status, r.channel as end_channel
  ), made as (
    insert into attempts (${ATTEMPTS.columns})
    select ${ATTEMPTS.columns} from ${p.attempts('r')} where id in (select attempt from leased)
    returning *
  ), captured as (
    ${capture(`select a.account_id, a.id as attempt_id, a.credits, s.held_on from made a join leased s on s.id = a.${key} where a.credits > 0`)}
  )${isQuiet ? '' : `, ${eventCtes(p.accounts, [attemptEvents('made', 'made'), ...events('leased', attemptsOf('leased', 'made', key))])}`}
  select t.is_told, s.id, s.lease from told t left join leased s on true
  where ${isQuiet ? `case when t.is_told then true else ${telling(LOG_CHANNEL, p.logged)} end` : telling(LOG_CHANNEL, p.logged)}`,
  });

/** Runs the statement of the usual end that fits. */
export const defineEnd = (of: SendTable) =>
  quietOrTelling({ quiet: endStatement(of, true), telling: endStatement(of, false) });

/** Locks accounts, in the order of their ids. */
export const LOCK_ACCOUNTS = statement('lock accounts', {
  takes: { ids: 'uuid[]' },
  gives: { id: 'uuid' },
  sql: p => `select id from accounts where id = any(${p.ids}) order by id for no key update`,
});

const lockSends = (table: SendTable['table']) =>
  statement(`lock ${table}`, {
    takes: RANGED_IDS,
    gives: { id: 'uuid' },
    sql: p =>
      `select id from ${table} where id = any(${p.ids}) and id between ${p.lowestId} and ${p.highestId} order by id for update`,
  });

/** Locks sends, in the order of their ids. */
export const LOCK_SENDS = { messages: lockSends('messages'), otps: lockSends('otps') };

/**
 * Settles every other step. Checks the leases; where they hold, writes the attempts whose outcome is known and ends their holds. Then ends the
 * routing, or stores the next attempt and makes its hold. Writes the answers to repeats too, and the events of all this. Settles and receipts
 * lock accounts first, then sends, then attempts, each in the order of their ids. Statements before this one lock accounts and sends, so it
 * sees what those have written that it waited for.
 */
export const settleStatement = ({ table, key, events }: SendTable) =>
  statement(`settle ${table}`, {
    takes: {
      ...RANGED_IDS,
      steps:
        records(`id uuid, lease text, is_over boolean, goes_on boolean, keeps_hold boolean, is_fresh boolean, follows boolean, waits boolean, status text?,
      channel text?, resend int?, done uuid[], next text?`),
      attempts: ATTEMPTS,
      answers: records(`account_id uuid, area text, reference text, message_id uuid, lease text, answer jsonb`),
      waits: WAITS,
      /** Of the attempts that follow. */
      holds: records(HOLD_COLUMNS),
      /** Of sends whose balance may change. */
      payingAccounts: 'uuid[]',
      accounts: 'uuid[]',
      leaseSeconds: 'int',
      logged: toldIds,
    },
    gives: { id: 'uuid', lease: 'text', renewed: 'text?', shortage: typed<Shortage | null>('text') },
    sql: p => `
  with ${holdCtes(p.holds('h'), p.payingAccounts)}, steps as materialized (
    select * from ${p.steps('s')}
  ), locked as materialized (
    select m.id, m.account_id, m.held, m.held_on, m.success_status, s.keeps_hold from ${table} m join steps s on s.id = m.id
    where m.lease_until = s.lease::timestamptz and m.id = any(${p.ids}) and m.id between ${p.lowestId} and ${p.highestId} and ${after('paying')}
    order by m.id for update of m
  ), made as (
    -- Of several settles of one send the last one brings what another may have failed to store.
    insert into attempts (${ATTEMPTS.columns})
    select ${ATTEMPTS.columns} from ${p.attempts('r')} where ${key} in (select id from locked)
    on conflict (id) do nothing
    returning *
  ), ended as materialized (
    select s.id, s.account_id, s.held as credits, s.held_on, a.id as attempt_id, a.status in ${GOOD_STATUSES} as is_accepted
    -- An attempt without a provider held nothing: a sender rule refused it behind the one that did.
    from made a join locked s on s.id = a.${key} where ${isPaidSql('a')} and a.provider is not null and s.held > 0 and not s.keeps_hold
  ), leased as (
    update ${table} m
    set status = case
          when r.is_over and m.status in ('pending', 'unknown') then r.end_status
          -- A receipt has taken back what was accepted, and what followed was not.
          when r.is_over and r.follows and m.status = 'sent'${table === 'otps' ? ` and not ${WAS_SENT_BEFORE}` : ''} then r.end_status
          else m.status end,
        channel = coalesce(m.channel, r.end_channel),
        lease_until = case
          when r.is_over then null
          when r.goes_on then clock_timestamp() + make_interval(secs => ${p.leaseSeconds})
          else m.lease_until end,
        -- What of it is under way changes by what this step did: steps of attempts that were made at once may be stored in any order.
        under_way = case when not r.is_over then (
          select json_agg(u.value order by u.place)::text from (
            select value, place from json_array_elements(m.under_way::json) with ordinality as w(value, place)
            where (value->>0)::uuid <> all(r.done)
            union all
            select value, 1000 + place from json_array_elements(r.next::json) with ordinality as n(value, place)
          ) u) end,
        held = coalesce(h.need, case when m.id in (select id from ended) then 0 else m.held end),
        held_on = case when h.need is null then m.held_on else ${TODAY} end
    from (
      -- Unless it ends with what a provider took just now, the attempts are asked: a receipt may have taken one back since, or one that
      -- was given up may have turned out to be accepted, or refused.
      select s.*, s.waits and not exists (
          -- A receipt of an earlier attempt may have come while the last one was made.
          select from attempts a join locked w on w.id = a.${key}
          where a.${key} = s.id and a.resend is not distinct from s.resend and ${hasReached('a', 'w.success_status')}) as is_awaited,
        case when s.is_fresh then s.channel when found is not null then coalesce(s.channel, found) end as end_channel,
        case when s.is_fresh then s.status when found is not null then 'sent'
          when s.channel is null and s.status is distinct from 'unknown' then s.status
          when exists (
            select from ${attemptsOf('s', 'made', key)} where a.resend is not distinct from s.resend and a.status = 'unknown')
            then ${table === 'messages' ? `'unknown'` : 's.status'}
          else 'failed' end as end_status
      from steps s
      cross join lateral (select case when s.is_over and not s.is_fresh then (
        select a.channel from attempts a
        where a.${key} = s.id and a.resend is not distinct from s.resend and a.status in ${GOOD_STATUSES} limit 1) end as found) l
    ) r left join holds h on h.send_id = r.id and h.shortage is null
    where m.id = r.id and m.lease_until = r.lease::timestamptz and m.id in (select id from locked) and m.id = any(${p.ids}) and m.id between ${p.lowestId} and ${p.highestId}
    returning m.*, r.lease, m.lease_until::text as renewed, r.is_over, r.end_status, r.end_channel, r.follows, r.is_awaited as waits,
      not r.follows or (m.status in ${BAD_STATUSES} and m.status = r.end_status) as is_news
  ), captured as (
    ${capture('select * from ended where is_accepted')}
  ), ${holdingCte('send_id in (select id from leased)', 'select * from ended where not is_accepted')}, answers as (
    update idempotency_keys k set answer = r.answer
    from ${p.answers('r')}
    join leased s on s.id = r.message_id and s.lease = r.lease
    where k.account_id = r.account_id and k.area = r.area and k.reference = r.reference and k.message_id = r.message_id
  ), ${waitCtes(table, p.waits('w'), 'leased')}, ${eventCtes(p.accounts, [attemptEvents('made', 'made'), ...events('leased', attemptsOf('leased', 'made', key))])}
  select s.id, s.lease, s.renewed, h.shortage from leased s left join holds h on h.send_id = s.id
  where ${telling(LOG_CHANNEL, p.logged)}`,
  });

/** Whether an earlier text of the OTP `m`, which holds the same code, has gone out. */
const WAS_SENT_BEFORE = `exists (select from attempts a where a.pin_id = m.id and a.resend < m.resends and a.status in ${GOOD_STATUSES})`;

/** The attempts of a row of `sends`, with those that this statement writes. */
const attemptsOf = (sends: string, made: string, key: SendTable['key']): string => `(
    select t.* from attempts t where t.${key} = ${sends}.id
    union all
    select n.* from ${made} n where n.${key} = ${sends}.id
  ) a`;
