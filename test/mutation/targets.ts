/** The mutated sources, the tests that should notice, and mutants that are the same in another form. */
import type { Mutant } from './mutants.ts';

/** The policies and statements of money and codes. */
export const SOURCES = [
  'src/modules/{billing,otp}/**/*.{policy,sql}.ts',
  'src/modules/messaging/accept.sql.ts',
  'src/modules/routing/settle.sql.ts',
  'src/modules/routing/recovery/recover.sql.ts',
];

const OTP = 'integration/otp';
const LIMITS = `${OTP}/limits`;
const BILLING = 'integration/billing';
const REST = 'integration/rest/routes';
const ROUTING = 'integration/routing';

/** The tests of each file, by a part of its path: those that notice most come first, and the others run over what survives them. */
const TESTS: readonly (readonly [part: string, ...tests: string[]])[] = [
  ['limits/fraud.policy', 'unit/otp/fraud'],
  ['send/text.policy', 'unit/otp/text'],
  ['send/resend.policy', 'integration/graphql/types/otp', `${LIMITS}/schedules`, `${OTP}/lifecycle`],
  ['send/otp-route.policy', `${OTP}/preview-otp`, `${REST}/otp-send`, `${OTP}/settings`],
  [
    'verify/verify-right',
    `${LIMITS}/right-codes`,
    `${REST}/otp-verify`,
    `${REST}/otp-logs`,
    `${LIMITS}/fraud`,
    `${LIMITS}/guesses`,
    'webhooks/events/otps',
  ],
  [
    'verify/verify.sql',
    `${LIMITS}/guesses`,
    `${REST}/otp-verify`,
    `${REST}/otp-logs`,
    `${LIMITS}/account`,
    `${OTP}/lifecycle`,
    `${LIMITS}/right-codes`,
    `${LIMITS}/fraud`,
    'webhooks/events/otps',
  ],
  ['limits/judge-sends', `${LIMITS}/fraud`],
  ['limits/forget-failed', `${LIMITS}/forget-failed`],
  ['limits/send-addresses', `${LIMITS}/send-addresses`],
  [
    'send/issue',
    `${LIMITS}/recipient`,
    `${REST}/otp-send`,
    `${BILLING}/credits.test`,
    `${OTP}/lifecycle`,
    `${LIMITS}/schedules`,
    `${LIMITS}/fraud`,
  ],
  [
    'send/resend.sql',
    `${LIMITS}/schedules`,
    'integration/graphql/types/otp',
    `${LIMITS}/recipient`,
    `${OTP}/lifecycle`,
    `${BILLING}/credits.test`,
    'integration/suppressions/stopped-otps',
  ],
  ['purge-otps', `${OTP}/housekeeping`],
  ['reports/', `${OTP}/reports/summary`],
  ['billing/balance', `${BILLING}/balance-after`, `${BILLING}/balance.test`, `${BILLING}/low-balance`],
  [
    'messaging/accept',
    `${REST}/references`,
    `${BILLING}/credits.test`,
    `${BILLING}/credits-edges`,
    'integration/suppressions/stop-between',
    'integration/suppressions/answers',
    `${BILLING}/balance.test`,
    `${BILLING}/spend-days`,
    `${ROUTING}/receipts`,
  ],
  [
    'routing/settle',
    `${ROUTING}/settle`,
    `${ROUTING}/follow-ups`,
    `${BILLING}/credits.test`,
    'integration/webhooks/events/races',
    `${OTP}/timed-fallback`,
    `${ROUTING}/three-channels`,
    `${ROUTING}/receipts`,
    'webhooks/events/messages',
    `${REST}/references`,
    `${BILLING}/spend-days`,
    `${ROUTING}/lock-order`,
  ],
  [
    'recovery/recover',
    `${ROUTING}/take-and-heal`,
    `${ROUTING}/marks`,
    `${BILLING}/credits-late`,
    'integration/webhooks/events/races',
    `${ROUTING}/unfinished`,
    `${OTP}/lifecycle`,
    `${ROUTING}/deadlines`,
    `${ROUTING}/follow-ups`,
  ],
  ['billing/reconcile', `${BILLING}/reconcile`],
  [
    'billing/ledger',
    `${BILLING}/credits-edges`,
    `${BILLING}/credits.test`,
    `${BILLING}/credits-late`,
    `${BILLING}/spend-days`,
    `${BILLING}/balance.test`,
    `${BILLING}/ledger-model`,
  ],
];

/** The tests that should notice a mutant of a file, in the order in which they are asked. @throws Error if the table has none */
export function testsOf(file: string): readonly string[] {
  const row = TESTS.find(([part]) => file.includes(part));
  if (!row) throw new Error(`${file} has no tests in the table of test/mutation/targets.ts`);
  return row.slice(1);
}

/** A mutant that does the same. */
interface Same {
  readonly file: string;
  /** A part of its line in the source. */
  readonly line: string;
  readonly from: string;
  /** A part of the changed source, where the line has more such places. */
  readonly becomes?: string;
}

/** Mutants that no test can notice, each with its reason. */
const SAME: readonly Same[] = [
  // A type, which no program has.
  { file: 'accept.sql.ts', line: 'Parameters<typeof KEYS.encode>', from: '0' },
  // Rows of no credits are added up too.
  { file: 'reconcile.sql.ts', line: 'where held > 0 and lease_until', from: '>' },
  // Another outcome in the very microsecond in which a key ends, and in no other.
  { file: 'accept.sql.ts', line: 'where k.expires_at > now()', from: '>' },
  { file: 'accept.sql.ts', line: 'select k.expires_at > now()', from: '>' },
  { file: 'accept.sql.ts', line: 'where k.expires_at <= now()', from: '<=' },
  { file: 'verify-right.sql.ts', line: 'h.expires_at > at', from: '>' },
  { file: 'verify.sql.ts', line: 'h.expires_at > at', from: '>' },
  { file: 'recover.sql.ts', line: 'lease_until < now()', from: '<' },
  { file: 'recover.sql.ts', line: 'where seen_at < now()', from: '<' },
  // The statement that tells does the same, at a higher price.
  { file: 'settle.sql.ts', line: 'quietOrTelling({ quiet: endStatement', from: 'true' },
  // Sends between them are locked too, for the same moment.
  { file: 'settle.sql.ts', line: 'order by id for update', from: 'and' },
  // No send has a thousand attempts under way, which come before it.
  { file: 'settle.sql.ts', line: '1000 + place', from: '1000' },
  // The id of the message says the same alone.
  { file: 'settle.sql.ts', line: 'where k.account_id = r.account_id', from: 'and k.area = r.area' },
  { file: 'settle.sql.ts', line: 'where k.account_id = r.account_id', from: 'and k.reference = r.reference' },
  // A statement has one lease of a send at most: `inTurns` keeps others for a later one.
  { file: 'settle.sql.ts', line: 'join leased s on s.id = r.message_id', from: 'and s.lease = r.lease' },
  // Looks of any size find them all.
  { file: 'recover.sql.ts', line: 'LOOK_SIZE', from: '50_000' },
  // They are locked as unknown before.
  { file: 'recover.sql.ts', line: "where a.id = k.id and a.status = 'unknown'", from: "and a.status = 'unknown'" },
  // A row with a lease is accepted, and this column is not read then.
  { file: 'accept.sql.ts', line: 'false as suppressed from timely', from: 'false' },
  // The rows are counted, whatever they hold.
  { file: 'purge-otps.sql.ts', line: 'from over where o.id = over.id returning 1', from: '1' },
  // Another outcome in the very microsecond in which a time ends.
  { file: 'purge-otps.sql.ts', line: 'DECOY_LOG_KEPT} order by id limit', from: '<' },
  // A passcode is verified once.
  { file: 'summarize-otps.sql.ts', line: "filter (where e.type = 'otp_verified') as seconds", from: 'min' },
  // Any number is a lock of its own.
  { file: 'judge-sends.sql.ts', line: 'hashtextextended(name, 4820260004)', from: '4820260004' },
  // An hour begins at a whole one, and is read at that very microsecond by nobody.
  { file: 'judge-sends.sql.ts', line: "hour > at - interval '24 hours'", from: '>' },
  { file: 'judge-sends.sql.ts', line: "where hour > at - interval '14 days'", from: '>' },
  // A send leaves the window in that very microsecond, and in no other.
  { file: 'issue.sql.ts', line: 'where s > clock_timestamp() - interval', from: '>' },
  { file: 'resend.sql.ts', line: 'where s > at - interval', from: '>' },
  { file: 'resend.sql.ts', line: 'select o.status, o.expires_at <= now()', from: '<=' },
  // A full budget has a stamp for each wrong code. A recipient without a row has none, and each has one.
  { file: 'verify.sql.ts', line: 'order by s desc offset', from: '1', becomes: '- at), 2))' },
  // A row that stays as it is may be written.
  { file: 'verify.sql.ts', line: 'and (e.tried > 0 or o.status <> e.status)', from: '>' },
  // The guesses of an account have one limit, but in the moment in which it is set.
  { file: 'verify.sql.ts', line: 'max(room))::int as wrong, max(room) as room', from: 'max' },
  // The decoy is among the pins, and is another one than any that is guessed at.
  {
    file: 'verify.sql.ts',
    line: 'left join otps o on o.id = g.pin',
    from: '=',
    becomes: 'o.id <> any(',
  },
  // More accounts are locked, and none more is told: those without a forecast are left out below.
  { file: 'balance.sql.ts', line: 'low_balance_untold order by id for no key update', from: 'and' },
];

/** Whether a mutant does what the source does. */
export function isSame(file: string, { words, from, text }: Mutant): boolean {
  return SAME.some(
    same =>
      file.endsWith(same.file) &&
      words.includes(same.line) &&
      from.trim() === same.from &&
      text.includes(same.becomes ?? ''),
  );
}
