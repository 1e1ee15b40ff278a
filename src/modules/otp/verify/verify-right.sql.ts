/** The statements of the batch *verify* for guesses of which all are right, which is the usual group. */
import { telling } from '../../../db/statements/order.sql.ts';
import { typed } from '../../../db/statements/sql-types.ts';
import { statement } from '../../../db/statements/statement.ts';
import { LOG_CHANNEL } from '../../routing/announce-log.ts';
import { otpVerdicts } from '../../webhooks/events/event-data.sql.ts';
import { quietOrTelling } from '../../webhooks/events/quiet-or-telling.ts';
import { eventCtes, isTold } from '../../webhooks/events/record-events.sql.ts';
import type { OtpJson } from '../otp-row.ts';
import { DECOY, ENTRY_OF_PIN, GUESSES, kept, trafficCte } from './verify.sql.ts';

/** Whether an OTP can be verified, as SQL. */
const isCurrent = (o: string): string =>
  `${o}.status in ('pending', 'sent') and ${o}.expires_at > at and ${o}.attempts < ${o}.attempts_max`;

/** Whether a budget has room for a guess, as SQL; where there is no row, `without`. */
const hasRoom = (table: string, key: string, limit: string, span: string, without: boolean): string =>
  `coalesce((select cardinality(${kept('b.wrongs', 'b.account_id', span)}) < ${limit} from ${table} b where ${key}), ${without})`;

/** What the events are told of: every pin that was locked is verified. */
const VERDICTS = `pins h cross join clock cross join (select 'verified' as kind, null::int as remaining) v
  cross join (select 'verified' as status, true as is_won) e`;

/**
 * Verifies the guesses of a group where every one of them is right, finds room in each budget, and has a pin of its own: else it changes
 * nothing and answers none, as it does not say in which order wrong ones count. Of a pin that is not what it was when it is locked there is no
 * answer either. It looks at a wrong code, and at a pin that nobody has, as it looks at a right one, so its time tells nothing.
 */
const verifyRightStatement = (isQuiet: boolean) =>
  statement(`verify right otps${isQuiet ? ' quietly' : ''}`, {
    takes: GUESSES,
    gives: { is_told: 'boolean', ord: 'int?', otp: typed<OtpJson | null>('jsonb') },
    sql: p => `
  with clock as materialized (
    select clock_timestamp() as at
  ), told as materialized (
    select ${isTold(p.accounts)} as is_told
  ), guesses as materialized (
    select * from ${p.guesses('g')}
  ), aimed as materialized (
    select g.*, coalesce(o.id, ${DECOY}) as aim, coalesce(o.account_id, ${DECOY}) as owner, coalesce(o.recipient, '') as recipient,
      coalesce(g.macs->>o.key_id = o.code_mac and ${isCurrent('o')}, false) as is_right
    from guesses g cross join clock
    left join otps o on o.id = g.pin and o.account_id = g.account_id and o.area = g.area and o.id = any(${p.pins})
  ), judged as materialized (
    select a.*,
      ${hasRoom('otp_addresses', 'b.account_id = a.owner and b.address = a.address', 'a.per_address', '5 minutes', true)} as address_has_room,
      ${hasRoom('otp_recipients', 'b.account_id = a.owner and b.recipient = a.recipient', 'a.per_recipient', '24 hours', false)}
        or a.recipient = any(${p.exemptRecipients}) as recipient_has_room,
      ${hasRoom('otp_accounts', 'b.account_id = a.owner', 'a.per_account', '1 minute', true)} as account_has_room
    from aimed a cross join clock
  ), usual as materialized (
    select count(distinct aim) = count(*) and bool_and(is_right and address_has_room and recipient_has_room and account_has_room)${isQuiet ? ' and not (select is_told from told)' : ''} as is_usual
    from judged
  ), pins as materialized (
    select o.* from otps o cross join clock
    where o.id in (select aim from judged where (select is_usual from usual)) and o.id = any(${p.pins}) and ${isCurrent('o')}
    order by o.id for update of o
  ), won as (
    update otps o set attempts = o.attempts + 1, status = 'verified', verified_at = at
    from pins h cross join clock where o.id = h.id and o.id = any(${p.pins})
    returning o.*
  ), logged as (
    insert into attempts (id, ${ENTRY_OF_PIN.columns}, type, status, segments, finished_at)
    select g.log_id, ${ENTRY_OF_PIN.values}, 'otp_verified', 'verified', 0, at
    from pins h join guesses g on g.pin = h.id cross join clock
  ), ${trafficCte('pins h', p.exemptRecipients)}${isQuiet ? '' : `, ${eventCtes(p.accounts, [otpVerdicts(VERDICTS)])}`}
  select t.is_told, g.ord, to_jsonb(w) as otp
  from told t left join (won w join guesses g on g.pin = w.id) on true
  where case when exists (select from pins) then ${telling(LOG_CHANNEL, p.logged)} else true end`,
  });

/** Runs the statement that fits. */
export const verifyRight = quietOrTelling({ quiet: verifyRightStatement(true), telling: verifyRightStatement(false) });
