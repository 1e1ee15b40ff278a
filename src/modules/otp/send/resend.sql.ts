/** The statements of the verb *resend an OTP*. */
import { after, timelyCte } from '../../../db/statements/order.sql.ts';
import { records } from '../../../db/statements/records.ts';
import { typed } from '../../../db/statements/sql-types.ts';
import { statement } from '../../../db/statements/statement.ts';
import { HOLD_COLUMNS, holdCtes, holdingCte, TODAY } from '../../billing/ledger.sql.ts';
import type { Shortage } from '../../billing/shortage.ts';
import type { Otp } from '../otp.entity.ts';
import type { OtpJson } from '../otp-row.ts';
import { windowWait } from './issue.sql.ts';
import { RESEND_WAITS } from './resend.policy.ts';

const younger = (interval: string): string =>
  `(select count(*) from unnest(l.sends) s where s > at - interval '${interval}')`;

/** Locks the account, the recipient and the OTP, in the order of a send, and decides. Answers one row: without a lease nothing was sent again. */
export const RESEND = statement('resend otp', {
  takes: {
    id: 'uuid',
    account: 'uuid',
    recipient: 'text',
    /** The name of the recipient, had it been erased; null: the account stops no OTPs, so the list is not looked into. */
    erased: 'text?',
    /** The number of this resend, from 1. */
    resends: 'int',
    leaseSeconds: 'int',
    isExempt: 'boolean',
    sendsPerHour: 'int',
    sendsPerDay: 'int',
    cooldownSeconds: 'int',
    /** The attempts that are under way, as the row of the OTP has them. */
    underWay: 'text',
    holds: records(HOLD_COLUMNS),
    payingAccounts: 'uuid[]',
    isPaidOnly: 'boolean',
    by: 'timestamptz',
  },
  gives: {
    suppressed: 'boolean',
    shortage: typed<Shortage | null>('text'),
    lease: 'text?',
    otp: typed<OtpJson | null>('json'),
  },
  sql: p => `
  with clock as materialized (
    select clock_timestamp() as at
  ), suppressed as materialized (
    -- Once more, so that a stop that is committed is never sent over.
    select from suppressions s
    where ${p.erased} is not null and s.account_id = ${p.account} and s.person in (${p.recipient}, ${p.erased})
  ), ${holdCtes(p.holds('h'), p.payingAccounts)}, locked as materialized (
    select r.* from otp_recipients r where r.account_id = ${p.account} and r.recipient = ${p.recipient} and ${after('paying')} for update
  ), resent as (
    update otps o
    set resends = ${p.resends}, lease_until = at + make_interval(secs => ${p.leaseSeconds}), under_way = ${p.underWay},
        held = coalesce((select need from holds where shortage is null), 0),
        held_on = case when exists (select from holds where shortage is null) then ${TODAY} else o.held_on end,
        resend_available_at = coalesce(at + make_interval(secs => (array[${RESEND_WAITS.join(', ')}])[${p.resends} + 1]), o.expires_at)
    from locked l, clock
    where o.id = ${p.id} and o.account_id = ${p.account} and o.status in ('pending', 'sent') and o.expires_at > at and o.lease_until is null
      and o.resends = ${p.resends} - 1 and ${p.resends} <= ${RESEND_WAITS.length}
      and (${p.isExempt} or (o.resend_available_at <= at and ${younger('1 hour')} < ${p.sendsPerHour} and ${younger('24 hours')} < ${p.sendsPerDay}))
      and not exists (select from suppressed) and not (${p.isPaidOnly} and exists (select from holds where shortage is not null))
    returning o.*
  ), followed as (
    -- What its last send would have been followed by goes out now.
    delete from follow_ups where send_id in (select id from resent)
  ), counted as (
    update otp_recipients r
    set sends = array(select s from unnest(r.sends) s where s > at - interval '24 hours') || at, updated_at = at,
        cooldowns = r.cooldowns || jsonb_build_object(o.area, at + make_interval(secs => ${p.cooldownSeconds}))
    from resent o, clock where not ${p.isExempt} and r.account_id = o.account_id and r.recipient = o.recipient
  ), ${holdingCte('exists (select from resent)')}, ${timelyCte('resent', p.by)}
  select exists (select from suppressed) as suppressed, (select shortage from holds) as shortage, r.lease, r.otp from timely join clock on is_timely
  left join (select lease_until::text as lease, row_to_json(resent) as otp from resent) r on true`,
});

/** How an OTP stands that was not sent again, with the seconds that are in its way. */
export const STANDING = statement('standing of an otp', {
  takes: { id: 'uuid', sendsPerHour: 'int', sendsPerDay: 'int' },
  gives: {
    status: typed<Otp['status']>('text'),
    is_over: 'boolean',
    is_under_way: 'boolean',
    resends: 'int',
    wait: 'float8',
    left: 'float8',
    hour: 'float8?',
    day: 'float8?',
  },
  sql: p => `
  select o.status, o.expires_at <= now() as is_over, o.lease_until is not null as is_under_way, o.resends,
    extract(epoch from o.resend_available_at - now())::float8 as wait,
    extract(epoch from o.expires_at - now())::float8 as left,
    ${windowWait(p.sendsPerHour, '1 hour')} as hour, ${windowWait(p.sendsPerDay, '24 hours')} as day
  from otps o left join otp_recipients r using (account_id, recipient) where o.id = ${p.id}`,
});
