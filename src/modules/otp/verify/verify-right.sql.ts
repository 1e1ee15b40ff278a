/** The statements of the batch *verify* for guesses of which all are right, which is the usual group. */
import { telling } from '../../../db/statements/order.sql.ts';
import { typed } from '../../../db/statements/sql-types.ts';
import { statement } from '../../../db/statements/statement.ts';
import { LOG_CHANNEL } from '../../routing/announce-log.ts';
import { otpVerdicts } from '../../webhooks/events/event-data.sql.ts';
import { quietOrTelling } from '../../webhooks/events/quiet-or-telling.ts';
import { eventCtes, isTold } from '../../webhooks/events/record-events.sql.ts';
import type { OtpJson } from '../otp-row.ts';
import { ENTRY_OF_PIN, GUESSES, kept, lockingCtes, trafficCte } from './verify.sql.ts';

/** Whether the budget of an address or an account has room for a guess, as SQL; without a row it has. */
const hasRoom = (table: string, key: string, limit: string, span: string): string =>
  `coalesce((select cardinality(${kept('b.wrongs', 'b.account_id', span)}) < ${limit} from ${table} b where ${key}), true)`;

/** The rows for the events: each OTP of `mine` is verified. */
const VERDICTS = `mine h cross join clock cross join (select 'verified' as kind, null::int as remaining) v
  cross join (select 'verified' as status, true as is_won) e`;

/**
 * Verifies a group of guesses where each is right, finds room in each budget, and has a pin of its own. Any other group is left unchanged and
 * unanswered, since the order of wrong codes counts. Wrong codes must then be counted in the same transaction, while their pins and recipients
 * are locked: whoever guesses at these next finds them counted. The budget of an address or an account may lack wrong codes that are counted
 * elsewhere at the same moment. The guess then passes as if it had come before them. Wrong codes and pins that nobody has are looked at like
 * right ones, so the time tells nothing.
 */
const verifyRightStatement = (isQuiet: boolean) =>
  statement(`verify right otps${isQuiet ? ' quietly' : ''}`, {
    takes: GUESSES,
    gives: { is_told: 'boolean', ord: 'int?', otp: typed<OtpJson | null>('jsonb') },
    sql: p => `
  with ${lockingCtes(p)}, told as materialized (
    select ${isTold(p.accounts)} as is_told
  ), judged as materialized (
    select a.pin, coalesce(a.macs->>h.key_id = h.code_mac, false) as is_right,
      h.status in ('pending', 'sent') and h.expires_at > at and h.attempts < h.attempts_max as is_current,
      ${hasRoom('otp_addresses', 'b.account_id = a.account_id and b.address = a.address', 'a.per_address', '5 minutes')} as address_has_room,
      coalesce(cardinality(r.kept) < a.per_recipient, false) or a.recipient = any(${p.exemptRecipients}) as recipient_has_room,
      not a.is_account_limited or ${hasRoom('otp_accounts', 'b.account_id = a.account_id', 'a.per_account', '1 minute')} as account_has_room
    from aimed a join pins h on h.id = a.pin left join recipients r on r.account_id = a.account_id and r.recipient = a.recipient cross join clock
  ), usual as materialized (
    select count(*) = count(distinct pin) and count(*) = (select count(*) from guesses)
      and bool_and(is_right and is_current and address_has_room and recipient_has_room and account_has_room)${isQuiet ? ' and not (select is_told from told)' : ''} as is_usual
    from judged
  ), mine as materialized (
    select * from pins where (select is_usual from usual)
  ), won as (
    update otps o set attempts = o.attempts + 1, status = 'verified', verified_at = at
    from mine h cross join clock where o.id = h.id and o.id = any(${p.pins})
    returning o.*
  ), logged as (
    insert into attempts (id, ${ENTRY_OF_PIN.columns}, type, status, segments, finished_at)
    select g.log_id, ${ENTRY_OF_PIN.values}, 'otp_verified', 'verified', 0, at
    from mine h join guesses g on g.pin = h.id cross join clock
  ), ${trafficCte('mine h', p.exemptRecipients)}${isQuiet ? '' : `, ${eventCtes(p.accounts, [otpVerdicts(VERDICTS)])}`}
  select t.is_told, g.ord, to_jsonb(w) as otp
  from told t left join (won w join guesses g on g.pin = w.id) on true
  where case when exists (select from mine) then ${telling(LOG_CHANNEL, p.logged)} else true end`,
  });

/** Runs the statement that fits. */
export const verifyRight = quietOrTelling({ quiet: verifyRightStatement(true), telling: verifyRightStatement(false) });
