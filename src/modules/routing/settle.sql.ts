/** The statement of the batch *settle*, and what it asks a kind of send for. */
import { after, telling } from '../../db/statements/order.sql.ts';
import { records, toldIds } from '../../db/statements/records.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';
import { bookEntries, endEntries, HOLD_COLUMNS, holdCtes, holdEntries } from '../billing/ledger.sql.ts';
import type { Shortage } from '../billing/shortage.ts';
import { GOOD_STATUSES, smsEvents } from '../webhooks/events/event-data.sql.ts';
import { type EventSource, eventCtes } from '../webhooks/events/record-events.sql.ts';
import { LOG_CHANNEL } from './announce-log.ts';
import { NEW_ATTEMPTS, OUTCOMES } from './rows.ts';

/** Where a kind of send is kept: its table, and the column of `attempts` that names it. */
export interface SendTable {
  readonly table: 'messages' | 'otps';
  readonly key: 'message_id' | 'pin_id';
  /**
   * What the end of a routing tells webhooks.
   * @param sends a CTE of sends with `is_over`, and the outcome of the routing in `end_status` and `end_channel`
   * @param attempts the attempts of a row of `sends` as they are now, as a FROM clause that names them `a`
   */
  events(sends: string, attempts: string): readonly EventSource[];
}

/**
 * Checks the leases and ends the routings that are over (`leased`); then, whether they held or not, stores the outcomes of the attempts, and
 * with them the ends of their holds; where they held, the attempts that follow, with their holds, and the answers to repeat; the
 * events of all this; at last it tells who listens. An attempt that was given up as `unknown` is not touched here: its hold is
 * released, and what an overtaken process knows of it is for `healOvertaken`.
 * Accounts are locked first, then the sends, then the attempts, by settles and receipts alike, and in the order of their ids as far as
 * the plan keeps it; a deadlock that is left is run again.
 */
export const settleStatement = ({ table, key, events }: SendTable) =>
  statement(`settle ${table}`, {
    takes: {
      steps: records(`id uuid, lease text, is_over boolean, goes_on boolean, is_fresh boolean, status text?,
      channel text?, resend int?`),
      ids: 'uuid[]',
      lowestId: 'uuid?',
      highestId: 'uuid?',
      outcomes: OUTCOMES,
      lowestAttempt: 'uuid?',
      highestAttempt: 'uuid?',
      /** The attempts that follow, as rows, each with the `lease` that it holds under. */
      following: 'json',
      answers: records(`account_id uuid, area text, reference text, message_id uuid, lease text, answer jsonb`),
      holds: records(HOLD_COLUMNS),
      /** Of sends whose balance may change. */
      payingAccounts: 'uuid[]',
      accounts: 'uuid[]',
      leaseSeconds: 'int',
      logged: toldIds,
    },
    gives: { id: 'uuid', lease: 'text', renewed: 'text?', shortage: typed<Shortage | null>('text') },
    sql: p => `
  with ${holdCtes(p.holds('h'), p.payingAccounts)}, leased as (
    update ${table} m
    set status = case when r.is_over and m.status in ('pending', 'unknown') then r.end_status else m.status end,
        channel = coalesce(m.channel, r.end_channel),
        lease_until = case
          when r.is_over then null
          when r.goes_on then clock_timestamp() + make_interval(secs => ${p.leaseSeconds})
          else m.lease_until end
    from (
      -- Unless it ends with what a provider took just now, the attempts are asked: a receipt may have taken one back since, or a
      -- process that was overtaken may have stored that a provider took it.
      select s.*,
        case when s.is_fresh then s.channel when found is not null then coalesce(s.channel, found) end as end_channel,
        case when s.is_fresh then s.status when found is not null then 'sent' when s.channel is not null then 'failed'
          else s.status end as end_status
      from ${p.steps('s')}
      cross join lateral (select case when s.is_over and not s.is_fresh then (
        select a.channel from attempts a
        where a.${key} = s.id and a.resend is not distinct from s.resend and a.status in ${GOOD_STATUSES} limit 1) end as found) l
    ) r
    where m.id = r.id and m.lease_until = r.lease::timestamptz and m.id = any(${p.ids}) and m.id between ${p.lowestId} and ${p.highestId}
      and ${after('paying')}
    returning m.*, r.lease, m.lease_until::text as renewed, r.is_over, r.end_status, r.end_channel
  ), outcomes as (
    update attempts a set ${OUTCOMES.assign('r')}
    from ${p.outcomes('r')}
    where a.id = r.id and a.status = 'pending' and a.id between ${p.lowestAttempt} and ${p.highestAttempt} and ${after('leased')}
    returning a.*
  ), following as (
    insert into attempts (${NEW_ATTEMPTS.columns})
    select ${NEW_ATTEMPTS.columns} from (
      select n.* from json_array_elements(${p.following}) as r(attempt)
      join leased s on s.id = (r.attempt->>'${key}')::uuid and s.lease = r.attempt->>'lease'
      cross join lateral json_populate_record(null::attempts, r.attempt) n
    ) next
    returning id
  ), booked as (
    ${bookEntries(
      endEntries('outcomes a', `a.status in ${GOOD_STATUSES}`),
      holdEntries('attempt_id in (select id from following)'),
    )}
  ), answers as (
    update idempotency_keys k set answer = r.answer
    from ${p.answers('r')}
    join leased s on s.id = r.message_id and s.lease = r.lease
    where k.account_id = r.account_id and k.area = r.area and k.reference = r.reference and k.message_id = r.message_id
  ), ${eventCtes(p.accounts, [smsEvents('outcomes', 'outcomes'), ...events('leased', attemptsOf('leased', 'outcomes', key))])}
  select s.id, s.lease, s.renewed, h.shortage from leased s left join holds h on h.send_id = s.id
  where ${telling(LOG_CHANNEL, p.logged)}`,
  });

/** The attempts of a row of `sends`: those that this statement changes as it leaves them. */
const attemptsOf = (sends: string, changed: string, key: SendTable['key']): string => `(
    select t.* from attempts t where t.${key} = ${sends}.id and not exists (select from ${changed} o where o.id = t.id)
    union all
    select o.* from ${changed} o where o.${key} = ${sends}.id
  ) a`;
