/**
 * Whether the money of an account adds up. Ledger, attempts and account are held against the words of the contract alone. Faults are
 * credits that come from nowhere, holds that end twice or never, and SMS that cost what nobody took.
 */
import { toUuid } from '../../../src/kernel/ids.ts';
import type { RunSql } from '../otp/pins.ts';

/** An entry of the ledger, as far as it is looked at. */
interface Entry {
  readonly kind: 'adjustment' | 'capture' | 'charge';
  readonly credits: number;
  readonly held: number;
  readonly attempt: string | null;
  /** Whether it counts to what is spent today. */
  readonly today: boolean;
}

/** An attempt over a channel. */
interface Tried {
  readonly id: string;
  readonly channel: string;
  readonly status: string;
  readonly code: string | null;
  readonly segments: number;
  readonly credits: number;
}

/** The sums of an account's money, and what is wrong with them. */
export interface MoneyAudit {
  /** A sentence for each fault; empty: everything adds up. */
  readonly faults: readonly string[];
  /** Credits that can be spent, that are held, and that were spent (captured or charged). */
  readonly credits: number;
  readonly held: number;
  readonly spent: number;
  /** How many entries there are of each kind. */
  readonly kinds: Readonly<Partial<Record<Entry['kind'], number>>>;
}

/** One look, so that what goes on meanwhile is in all of it or in nothing. */
const LOOK = `select credits, held,
  case when spend_day = (now() at time zone 'UTC')::date then spent else 0 end as spent,
  (select coalesce(json_agg(json_build_object('kind', kind, 'credits', credits, 'held', held, 'attempt', attempt_id,
     'today', coalesce(spend_day = (now() at time zone 'UTC')::date, false))), '[]') from ledger where account_id = a.id) as entries,
  (select coalesce(json_agg(json_build_object('id', id, 'channel', channel, 'status', status, 'code', error_code,
     'segments', segments, 'credits', credits)), '[]') from attempts
   where account_id = a.id and type in ('message_attempt', 'otp_attempt')) as attempts,
  (select coalesce(json_agg(s), '[]') from (
     select held, held_on = (now() at time zone 'UTC')::date as today, lease_until is not null as "isUnderWay", segments from messages
     where account_id = a.id and held <> 0
     union all
     select held, held_on = (now() at time zone 'UTC')::date, lease_until is not null, segments from otps
     where account_id = a.id and held <> 0) s) as holds
  from accounts a where id = $1`;

/** Statuses of an attempt whose provider has it, and of one whose provider has not, or of whom nobody knows. */
const TAKEN = ['sent', 'delivered', 'read'];
const NOT_TAKEN = ['failed', 'expired', 'unknown'];

/** Looks at the money of an account. Attempts under way may hold credits. */
export async function auditMoney(sql: RunSql, accountId: string): Promise<MoneyAudit> {
  interface Look {
    readonly credits: number;
    readonly held: number;
    readonly spent: number;
    readonly holds: readonly { held: number; today: boolean; isUnderWay: boolean; segments: number }[];
    readonly entries: readonly Entry[];
    readonly attempts: readonly Tried[];
  }
  const [look] = await sql<Look>(LOOK, [toUuid(accountId)]);
  if (!look) throw new Error('there is no such account');
  const { entries, attempts } = look;
  const balance = sum(entries, 'credits');
  const { credits, held } = look;
  const given = sum(
    entries.filter(entry => entry.kind === 'adjustment'),
    'credits',
  );
  const today =
    look.holds.reduce((total, hold) => total + (hold.today ? hold.held : 0), 0) -
    sum(
      entries.filter(entry => entry.today),
      'credits',
    );
  const faults: string[] = [];
  if (credits + held !== balance)
    faults.push(`the balance is ${credits} and ${held} held, and its entries sum to ${balance}`);
  if (credits < 0 || held < 0) faults.push(`${credits} credits are left, and ${held} are held`);
  const bySends = look.holds.reduce((total, hold) => total + hold.held, 0);
  if (bySends !== held) faults.push(`the account holds ${held}, and its sends ${bySends}`);
  for (const hold of look.holds)
    if (!hold.isUnderWay || hold.held !== hold.segments) faults.push(`a send holds ${JSON.stringify(hold)}`);
  if (look.spent !== today) faults.push(`the account has spent ${look.spent} today, and the ledger says ${today}`);
  const byAttempt = Map.groupBy(entries, ({ attempt }) => attempt);
  for (const attempt of attempts) faults.push(...faultsOf(attempt, byAttempt.get(attempt.id) ?? []));
  const known = new Set(attempts.map(({ id }) => id));
  for (const [id, own] of byAttempt)
    if (id !== null && !known.has(id)) faults.push(`there is no attempt ${id}, and it has ${own.length} entries`);
  const kinds: Partial<Record<Entry['kind'], number>> = {};
  for (const { kind } of entries) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return { faults, credits, held, spent: given - credits - held, kinds };
}

function sum(entries: readonly Entry[], of: 'credits' | 'held'): number {
  return entries.reduce((total, entry) => total + entry[of], 0);
}

/** The faults in the ledger entries of one attempt. */
function faultsOf(attempt: Tried, entries: readonly Entry[]): string[] {
  const { id, channel, status, code, segments } = attempt;
  const faults: string[] = [];
  const check = (isRight: boolean, what: string): void => {
    if (!isRight) faults.push(`${channel} attempt ${id} (${status}, ${segments} segments): ${what}`);
  };
  const of = (kind: string) => entries.filter(entry => entry.kind === kind);
  const cost = -sum(entries, 'credits');
  check(attempt.credits === cost, `says that it costs ${attempt.credits}, and the ledger says ${cost}`);
  if (channel !== 'sms' || (status === 'failed' && code === 'insufficient_balance')) {
    check(entries.length === 0, `nobody was to be paid, and it has ${entries.length} entries`);
    return faults;
  }
  const [captures, charges] = [of('capture'), of('charge')];
  check(captures.length <= 1, `is captured ${captures.length} times`);
  check(
    captures.every(({ credits, held }) => credits === -segments && held === credits),
    'captures something else',
  );
  const isCaptured = captures.length > 0;
  check(charges.length <= (isCaptured ? 0 : 1), `is charged ${charges.length} times, captured: ${isCaptured}`);
  const isPaid = isCaptured || charges.length > 0;
  if (TAKEN.includes(status)) check(isPaid, 'was taken, and nothing is spent');
  // An SMS that was taken may fail later: its credits are spent all the same.
  if (NOT_TAKEN.includes(status) && status === 'unknown') check(!isPaid, 'nobody knows of it, and it is paid');
  check(cost >= 0 && cost <= segments, `costs ${cost}`);
  return faults;
}

/** Gives credits to an account, or takes them away, as the operator does. @throws the error of the database where the account has less */
export async function adjust(sql: RunSql, accountId: string, credits: number): Promise<void> {
  await sql(
    `insert into ledger (account_id, id, kind, credits, held, reason, created_at)
     values ($1, gen_random_uuid(), 'adjustment', $2::int, 0, 'a test', clock_timestamp())`,
    [toUuid(accountId), credits],
  );
}
