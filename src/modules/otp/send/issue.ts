/** The batch *issue*: limits, fraud guard, end of the older code and attempts of an OTP, committed before a provider is called. */
import { type Apply, defineBatch, defineStatementBatch, toBatchError } from '../../../db/batch.ts';
import type { Database } from '../../../db/orm.ts';
import { isRetryable, type Sql } from '../../../db/statements/sql.ts';
import { isPaid } from '../../../kernel/channel.ts';
import { AppError } from '../../../kernel/errors.ts';
import { newId, toUuid } from '../../../kernel/ids.ts';
import { gatewayTime } from '../../../kernel/process/gateway-time.ts';
import { insufficientBalance, type Shortage } from '../../billing/shortage.ts';
import { holdRows } from '../../routing/rows.ts';
import { LEASE_SECONDS } from '../../routing/send.ts';
import { recipientSuppressed } from '../../suppressions/refuse-suppressed.ts';
import { type Decision, judgeSends } from '../limits/judge-sends.ts';
import { cooldown, explainRefusals, recipientOf, recipientRow } from '../limits/recipient-limits.ts';
import { type AddressPlaces, takePlaces } from '../limits/send-addresses.ts';
import { ISSUE, type StoredRow } from './issue.sql.ts';
import type { IssueItem } from './issue-item.ts';
import { RESEND_WAITS } from './resend.policy.ts';

/** A stored OTP, with its times by the database's clock. */
interface Issued {
  readonly lease: string;
  /** Why the SMS among the attempts cannot be paid; null: it is held, or there is none. */
  readonly shortage: Shortage | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly resendAvailableAt: Date;
}

const issueFreely = defineStatementBatch<IssueItem, Issued>(
  'issue otps',
  (sql, items, by) => applyIssue(sql, items, by, roundByRound),
  { inTime: true, isSerial: true },
);

/** In one transaction, since places and addresses are locked from the look at them until their sends are counted. */
const issueGuarded = defineBatch<IssueItem, Issued>(
  'issue guarded otps',
  (sql, items, by) =>
    applyIssue(sql, items, by, async run => {
      await run();
      return null;
    }),
  { inTime: true, isSerial: true },
);

/** Issues an OTP. @throws AppError `recipient_suppressed`, `insufficient_balance`, `otp_cooldown`, `rate_limited`, `invalid_input` (the fraud guard), `database_unavailable`. */
export function issue(database: Database, item: IssueItem): Promise<Issued> {
  const isGuarded = item.settings.fraudMode === 'block' || item.address !== null;
  return isGuarded ? issueGuarded(database)(item) : issueFreely(database)(item);
}

/** Runs a round, and answers the error that those who are in it are told, if any. @throws the error that the whole group is told */
type RunRound = (run: () => Promise<void>, isFirst: boolean) => Promise<Error | null>;

/** How often a round is run at most, while other processes overtake it. */
const TRIES_MAX = 10;

/** Each round is committed by itself: an error of a later one is told to those who are left, and not to the whole group. */
const roundByRound: RunRound = async (run, isFirst) => {
  for (let tryNumber = 1; ; tryNumber++) {
    try {
      await run();
      return null;
    } catch (error) {
      if (isRetryable(error) && tryNumber < TRIES_MAX) continue;
      if (isFirst) throw error;
      return toBatchError(error);
    }
  }
};

async function applyIssue(
  sql: Sql,
  items: readonly IssueItem[],
  by: string,
  runRound: RunRound,
): ReturnType<Apply<IssueItem, Issued>> {
  const decisions = await judgeSends(sql, items);
  const results = new Map<IssueItem, Issued | Error>();
  for (const [item, { refusal }] of decisions) if (refusal) results.set(item, refusal);
  let notes = [...decisions];
  let waiting = items.filter(item => !results.has(item));
  const places = await takePlaces(sql, waiting);
  for (let isFirst = true; waiting.length + notes.length > 0; isFirst = false) {
    const groups = [...Map.groupBy(withoutRefused(waiting, places, results), recipientOf).values()];
    const round = groups.flatMap(roundOf).filter(item => places.take(item));
    const noted = notes;
    const run = () => issueRound(sql, round, noted, results, by);
    const error = round.length + noted.length > 0 ? await runRound(run, isFirst) : null;
    if (error) for (const item of waiting) results.set(item, error);
    for (const item of round) if (results.get(item) instanceof Error) places.release(item);
    waiting = groups.flatMap(group => leftOf(group, results));
    notes = notes.filter(([item]) => !results.has(item));
  }
  await places.giveBack();
  return items.map(item => results.get(item) ?? new AppError('overloaded'));
}

/** Those of the sends whose address has a place. The others hear why they have none. */
function withoutRefused(
  waiting: readonly IssueItem[],
  places: AddressPlaces,
  results: Map<IssueItem, Issued | Error>,
): readonly IssueItem[] {
  return waiting.filter(item => {
    const refusal = places.refusalOf(item);
    if (refusal) results.set(item, refusal);
    return !refusal;
  });
}

/** Those of a group, all to one recipient, that one statement can take: the first, and of an exempt recipient all. */
function roundOf(group: readonly IssueItem[]): readonly IssueItem[] {
  return group[0]?.isExempt ? group : group.slice(0, 1);
}

/**
 * Those of a group that must still ask. A twin of the first hears the same as the first; after a send, that its cooldown has begun. A first one that
 * found no place for its address in the round asks again, with all behind it.
 */
function leftOf(group: readonly IssueItem[], results: Map<IssueItem, Issued | Error>): readonly IssueItem[] {
  const [first, ...others] = group;
  const result = first && results.get(first);
  if (!result || first.isExempt) return group.filter(item => !results.has(item));
  const { cooldownSeconds } = first.settings;
  return others.filter(twin => {
    if (results.has(twin)) return false;
    const refusal = result instanceof Error ? result : cooldownSeconds > 0 ? cooldown(first, cooldownSeconds) : null;
    if (!refusal || !concerns(refusal, first, twin)) return true;
    results.set(twin, refusal);
    return false;
  });
}

/** Whether the refusal of the first is that of its twin, too. Credits count for all areas; a twin that needs fewer, or none, asks itself. */
function concerns(refusal: Error, { otp: first }: IssueItem, { otp: twin }: IssueItem): boolean {
  if (refusal instanceof AppError && refusal.code === 'insufficient_balance')
    return twin.channels.every(isPaid) && twin.segments >= first.segments;
  return twin.area === first.area;
}

/** Runs the statement for one round, and writes what came of it into `results`. */
async function issueRound(
  sql: Sql,
  items: readonly IssueItem[],
  notes: readonly (readonly [IssueItem, Decision])[],
  results: Map<IssueItem, Issued | Error>,
  by: string,
): Promise<void> {
  const noteRows = notes.map(decisionRow);
  const recipients = new Map(items.map(item => [recipientOf(item), item]));
  const holds = items.flatMap(({ otp, attempts }) => holdRows(otp, attempts));
  const rows = await ISSUE.run(sql, {
    recipients: [...recipients.values()].map(recipientRow),
    otps: items.map(({ otp }) => otp),
    stoppable: items.flatMap(stoppableRows),
    traffic: items.filter(item => !item.isExempt).flatMap(trafficRows),
    notes: noteRows,
    firstResendSeconds: RESEND_WAITS[0],
    leaseSeconds: LEASE_SECONDS,
    // The notes are complete; of the attempts their outcomes are announced.
    logged: noteRows.map(note => note.id),
    accounts: [...new Set(items.map(({ otp }) => toUuid(otp.accountId)))],
    areas: [...new Set(items.map(({ otp }) => otp.area))],
    numbers: [...new Set(items.map(({ otp }) => otp.recipient))],
    holds,
    payingAccounts: [...new Set(holds.map(hold => hold.account_id))],
    by,
  });
  const stored = new Map(rows.map(row => [row.id, row]));
  for (const item of items) {
    const row = stored.get(toUuid(item.otp.id));
    if (row) results.set(item, toIssued(row));
  }
  const lost = items.filter(item => !results.has(item));
  const explained = await explainRefusals(sql, lost).catch(toBatchError);
  for (const item of lost)
    results.set(item, explained instanceof Error ? explained : (explained.get(item) ?? new AppError('overloaded')));
}

function toIssued(row: StoredRow): Issued | AppError {
  const { lease, shortage, created_at: createdAt, expires_at: expiresAt, resend_available_at: resendAvailableAt } = row;
  if (row.suppressed) return recipientSuppressed();
  if (lease === null || createdAt === null || expiresAt === null || resendAvailableAt === null)
    return insufficientBalance(shortage ?? 'balance', gatewayTime());
  return { lease, shortage, createdAt, expiresAt, resendAvailableAt };
}

function stoppableRows({ otp: { id, accountId, recipient }, erased }: IssueItem) {
  return erased === null ? [] : [{ id: toUuid(id), account_id: toUuid(accountId), recipient, erased }];
}

function trafficRows({ otp, places }: IssueItem) {
  return places.map(place => ({ account_id: toUuid(otp.accountId), place, pin: toUuid(otp.id) }));
}

/** A decision of the fraud guard as a row of the log. */
function decisionRow([{ otp }, decision]: readonly [IssueItem, Decision]) {
  const isRefusal = decision.refusal !== null;
  return {
    id: toUuid(newId('att')),
    account_id: toUuid(otp.accountId),
    area: otp.area,
    type: isRefusal ? 'otp_blocked' : 'otp_flagged',
    recipient: otp.recipient,
    country: otp.country ?? null,
    status: isRefusal ? 'blocked' : 'sent',
    error_code: decision.code,
    error_message: decision.message,
    pin: toUuid(otp.id),
    is_refusal: isRefusal,
  };
}
