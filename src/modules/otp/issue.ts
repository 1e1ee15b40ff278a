/**
 * The batch *issue*: what a send of an OTP commits before any provider is called — the limits of its recipient, the fraud guard's
 * decision, the end of the older code, the OTP with its lease, and the attempts that are about to be made.
 */
import { type Apply, defineBatch } from '../../db/batch.ts';
import { asJson, runSql, type Sql } from '../../db/sql.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId, toUuid } from '../../kernel/ids.ts';
import type { OtpSettings } from '../../kernel/otp-settings.ts';
import { LOG_CHANNEL, logPayloads } from '../routing/announce-log.ts';
import type { ChannelAttempt } from '../routing/attempt.entity.ts';
import { LEASE_SECONDS } from '../routing/delivery.ts';
import { ATTEMPT_COLUMNS, attemptRow } from '../routing/rows.ts';
import { admitRecipients } from './admit-recipients.ts';
import type { NumberFault } from './fraud.policy.ts';
import { type Decision, judgeSends } from './judge-sends.ts';
import type { Otp } from './otp.entity.ts';
import { OTP_COLUMNS, otpRow } from './otp-row.ts';
import { RESEND_WAITS } from './resend.policy.ts';

/** A send of an OTP that is to be accepted. */
export interface IssueItem {
  readonly otp: Otp;
  readonly attempts: readonly ChannelAttempt[];
  readonly settings: OtpSettings;
  /** Whether its recipient is exempt from the limits of recipients and from the fraud guard. */
  readonly isExempt: boolean;
  /** The places that the fraud guard counts it for. */
  readonly places: readonly string[];
  /** What is wrong with the number itself, after the settings of the account. */
  readonly numberFault: NumberFault | null;
}

/** What the database's clock decided. */
export interface Issued {
  readonly lease: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly resendAvailableAt: Date;
}

/**
 * Issues an OTP.
 * @throws AppError `otp_cooldown`, `rate_limited`, `invalid_input` where the fraud guard refuses the number; `database_unavailable`.
 */
export const issue = defineBatch<IssueItem, Issued>('issue otps', applyIssue);

async function applyIssue(sql: Sql, items: readonly IssueItem[]): ReturnType<Apply<IssueItem, Issued>> {
  const decisions = await judgeSends(sql, items);
  const passed = items.filter(item => !decisions.get(item)?.refusal);
  const refusals = await admitRecipients(sql, passed);
  const admitted = passed.filter(item => !refusals.has(item));
  const noted = [...decisions].filter(([item]) => !refusals.has(item));
  const issued = await storeOtps(sql, admitted, noted.map(decisionRow));
  return items.map(
    item =>
      decisions.get(item)?.refusal ??
      refusals.get(item) ??
      issued.get(toUuid(item.otp.id)) ??
      new AppError('overloaded'),
  );
}

/**
 * Ends the older codes of the recipients and stores the new ones. Of several for one recipient in one group, which only an exempt
 * one can have, the last is live. The cancelled ones are counted first: the unique index of live codes must see them gone.
 */
const STORE = `
  with clock as materialized (
    select clock_timestamp() as at
  ), asked as materialized (
    select * from json_populate_recordset(null::otps, $1::json)
  ), cancelled as (
    update otps o set status = 'cancelled' from asked a
    where o.account_id = a.account_id and o.area = a.area and o.recipient = a.recipient and o.status in ('pending', 'sent')
      and a.status = 'pending' and o.account_id = any($9::uuid[]) and o.area = any($10::text[]) and o.recipient = any($11::text[])
    returning o.id
  ), stored as (
    insert into otps (${OTP_COLUMNS}, resend_available_at, expires_at, created_at, lease_until)
    select ${OTP_COLUMNS}, at + make_interval(secs => $2::int), at + make_interval(secs => expires_in), at,
      at + make_interval(secs => $3::int)
    from asked, clock where (select count(*) from cancelled) >= 0
    returning id, lease_until, created_at, expires_at, resend_available_at
  ), made as (
    insert into attempts (${ATTEMPT_COLUMNS})
    select ${ATTEMPT_COLUMNS} from json_populate_recordset(null::attempts, $4::json)
  ), counted as (
    insert into otp_traffic as t (account_id, place, hour, sent, verified)
    select account_id, place, date_trunc('hour', at), count(*), 0
    from json_to_recordset($5::json) as p(account_id uuid, place text), clock
    group by account_id, place, at order by account_id, place
    on conflict (account_id, place, hour) do update set sent = t.sent + excluded.sent
  ), noted as (
    insert into attempts (id, account_id, area, type, channel, recipient, country, status, error_code, error_message, segments,
      started_at, finished_at)
    select id, account_id, area, type, channel, recipient, country, status, error_code, error_message, 0, at, at
    from json_populate_recordset(null::attempts, $6::json), clock
  )
  select id, lease_until::text as lease, created_at, expires_at, resend_available_at from stored
  where (select count(pg_notify($7, payload)) from json_array_elements_text($8::json) as r(payload)) >= 0`;

interface StoredRow {
  id: string;
  lease: string;
  created_at: Date | string;
  expires_at: Date | string;
  resend_available_at: Date | string;
}

async function storeOtps(
  sql: Sql,
  items: readonly IssueItem[],
  notes: readonly { readonly id: string }[],
): Promise<Map<string, Issued>> {
  if (items.length + notes.length === 0) return new Map();
  const rows = await runSql<StoredRow>(sql, STORE, [
    asJson(otpRows(items)),
    RESEND_WAITS[0],
    LEASE_SECONDS,
    asJson(items.flatMap(item => item.attempts.map(attemptRow))),
    asJson(items.filter(item => !item.isExempt).flatMap(trafficRows)),
    asJson(notes),
    LOG_CHANNEL,
    // The notes are complete; of the attempts their outcomes are announced.
    JSON.stringify(logPayloads(notes.map(note => note.id))),
    [...new Set(items.map(({ otp }) => toUuid(otp.accountId)))],
    [...new Set(items.map(({ otp }) => otp.area))],
    [...new Set(items.map(({ otp }) => otp.recipient))],
  ]);
  return new Map(rows.map(row => [row.id, toIssued(row)]));
}

function toIssued(row: StoredRow): Issued {
  return {
    lease: row.lease,
    createdAt: new Date(row.created_at),
    expiresAt: new Date(row.expires_at),
    resendAvailableAt: new Date(row.resend_available_at),
  };
}

/** The rows of the items; one is cancelled at once where a later one of the group goes to the same recipient. */
function otpRows(items: readonly IssueItem[]): object[] {
  const slotOf = ({ otp }: IssueItem): string => `${otp.accountId} ${otp.area} ${otp.recipient}`;
  const last = new Map(items.map(item => [slotOf(item), item]));
  return items.map(item => ({
    ...otpRow(item.otp),
    ...(last.get(slotOf(item)) === item ? {} : { status: 'cancelled' }),
  }));
}

function trafficRows({ otp, places }: IssueItem): object[] {
  return places.map(place => ({ account_id: toUuid(otp.accountId), place }));
}

/** A decision of the fraud guard as a row of the log. */
function decisionRow([{ otp }, decision]: readonly [IssueItem, Decision]) {
  return {
    id: toUuid(newId('att')),
    account_id: toUuid(otp.accountId),
    area: otp.area,
    type: decision.refusal ? 'otp_blocked' : 'otp_flagged',
    channel: null,
    recipient: otp.recipient,
    country: otp.country,
    status: decision.refusal ? 'blocked' : 'sent',
    error_code: decision.code,
    error_message: decision.message,
  };
}
