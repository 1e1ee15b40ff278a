import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entities } from '../../../../mikro-orm.config.ts';
import { Ctx, type Services } from '../../../../src/context.ts';
import { type Database, openDatabase } from '../../../../src/db/orm.ts';
import { runSql, type Sql } from '../../../../src/db/statements/sql.ts';
import type { Area } from '../../../../src/kernel/crypto/secrets.ts';
import { newId, toUuid } from '../../../../src/kernel/ids.ts';
import { codeMac } from '../../../../src/modules/otp/send/code.ts';
import { createLogger } from '../../../../src/observability/logger.ts';
import { openWire, type Wire } from '../../../support/databases/lost-answers-proxy.ts';
import { guess, holderWith, isEvaluated, type Told } from '../../../support/otp/guess.ts';
import { type MadePin, makePin, type StoredPin, storedPin, wrongCode } from '../../../support/otp/pins.ts';
import { assertProperty } from '../../../support/runner/properties.ts';
import { rounds } from '../../../support/runner/rounds.ts';
import {
  createTestServices,
  makeAccount,
  openTestDatabase,
  TEST_KEYS,
  type TestAccount,
  type TestServices,
  withEm,
} from '../../../support/services.ts';

/** How many schedules are tried. */
const RUNS = rounds({ usual: 25, long: 400 });
const TIMEOUT_MS = 60_000 + RUNS * 250;

/** Codes that may be tried for one pin. */
const ATTEMPTS_MAX = 5;

let t: TestServices;
let account: TestAccount;
let stranger: TestAccount;
let wire: Wire | null = null;
/** Two processes; on PostgreSQL the second one is at the far end of the wire. */
let processes: readonly Services[];
const databases: Database[] = [];

beforeAll(async () => {
  t = await createTestServices();
  account = await makeAccount(t.services);
  stranger = await makeAccount(t.services);
  if (t.testDatabase.kind === 'postgres') wire = await openWire(t.testDatabase.url);
  databases.push(
    wire ? await openDatabase({ url: wire.url, poolSize: 10 }, entities) : await openTestDatabase(t.testDatabase),
  );
  processes = [t.services, ...databases.map(database => ({ ...t.services, database }))];
});
afterAll(async () => {
  for (const database of databases) await database.close();
  await wire?.close();
  await t.close();
});

/** The kinds of guesses: the right code, a wrong one, or the right one from an account or an area without the pin. */
const GUESSES = ['right', 'wrong', 'of another account', 'of another area'] as const;
type GuessKind = (typeof GUESSES)[number];

/** The fault as soon as the verb has answered, or before its answer arrives. */
type Fault =
  | 'none'
  | 'the caller throws'
  | 'the caller is gone'
  | 'a transaction around it is rolled back'
  | 'the connection is cut';

/** The concurrent guesses, with their fault. */
interface Step {
  readonly guesses: readonly { readonly kind: GuessKind; readonly process: 0 | 1 }[];
  readonly fault: Fault;
  /** Whether the time of the code ends with this step. */
  readonly expires: boolean;
}

/** The verb, or what stands for it. */
type Verify = (ctx: Ctx, pin: MadePin, code: string, address: string) => Promise<Told>;

/** On one connection, as PGlite has, nobody can wait for another statement inside a transaction; and there is no wire. */
function faultsHere(): readonly Fault[] {
  const everywhere: Fault[] = ['none', 'the caller throws', 'the caller is gone'];
  return wire ? [...everywhere, 'a transaction around it is rolled back', 'the connection is cut'] : everywhere;
}

function steps(): fc.Arbitrary<Step[]> {
  const one = fc.record({
    // Guesses that count are what it is about.
    kind: fc.oneof(
      { weight: 4, arbitrary: fc.constant('wrong' as const) },
      { weight: 3, arbitrary: fc.constantFrom(...GUESSES) },
    ),
    process: fc.constantFrom(0 as const, 1 as const),
  });
  const step = fc.record({
    guesses: fc.array(one, { minLength: 1, maxLength: 4 }),
    fault: fc.constantFrom(...faultsHere()),
    expires: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  });
  return fc.array(step, { minLength: 1, maxLength: 7 });
}

let lastAddress = 0;

/** An address of its own for each schedule: the limit of an address is not what it is about. */
function newAddress(): string {
  lastAddress += 1;
  return `198.${18 + (lastAddress >> 16)}.${(lastAddress >> 8) & 255}.${lastAddress & 255}`;
}

function ctxOf(kind: GuessKind, process: number, signal: AbortSignal): Ctx {
  const area: Area = kind === 'of another area' ? 'otp' : 'unified';
  return new Ctx({
    // The limit of an account is not what it is about either.
    actor: holderWith(kind === 'of another account' ? stranger : account, { wrongCodesPerAccount: 1_000_000 }, area),
    requestId: randomUUID(),
    log: () => createLogger('silent'),
    clock: t.clock,
    signal: () => signal,
    services: processes[process] ?? t.services,
    request: {
      idempotencyKey: null,
      clientAddress: '127.0.0.1',
      isCrossOrigin: false,
      userAgent: null,
      cookies: null,
      answerHeaders: new Map(),
      gap: { rows: 0 },
      answerCookies: [],
    },
  });
}

/** Guesses, and has the fault happen. Answers what the verb said; null where the answer got lost. */
async function guessWith(
  fault: Fault,
  verify: Verify,
  ctx: Ctx,
  gone: AbortController,
  call: [MadePin, string, string],
) {
  if (fault === 'the caller is gone') queueMicrotask(() => gone.abort());
  if (fault !== 'a transaction around it is rolled back') {
    const told = await verify(ctx, ...call);
    return told.code === 'database_unavailable' ? null : told;
  }
  let told: Told | null = null;
  const rolledBack = ctx.em.transactional(async em => {
    told = await verify(withEm(ctx, em), ...call);
    throw new Error('the caller fails');
  });
  await expect(rolledBack).rejects.toThrow('the caller fails');
  return told as Told | null;
}

/** Plays a schedule and answers what went against the rules, step by step. */
async function play(schedule: readonly Step[], scheduler: fc.Scheduler, verify: Verify): Promise<string[]> {
  const pin = await makePin(t.sql, { accountId: account.accountId });
  const address = newAddress();
  const faults: string[] = [];
  const told: Told[] = [];
  let lost = 0;
  let isOver = false;
  let before: StoredPin = { status: 'sent', attempts: 0, log: {} };
  for (const { guesses, fault, expires } of schedule) {
    if (fault === 'the connection is cut') wire?.set('cut');
    const calls = guesses.map(async ({ kind, process }, index) => {
      const gone = new AbortController();
      const ctx = ctxOf(kind, process, gone.signal);
      await scheduler.schedule(Promise.resolve());
      const code = kind === 'wrong' ? wrongCode(pin, index) : pin.code;
      const answer = await guessWith(fault, verify, ctx, gone, [pin, code, address]);
      return { answer, isOwn: kind === 'right' || kind === 'wrong' };
    });
    const answers = await scheduler.waitFor(Promise.all(calls));
    wire?.set('pass');
    const now = await storedPin(t.sql, pin.pinId);
    for (const { answer, isOwn } of answers) {
      if (isOwn && answer) told.push(answer);
      if (isOwn && !answer) lost += 1;
      if (!isOwn && answer && answer.code !== 'otp_not_found') faults.push(`a stranger was told ${answer.code}`);
    }
    faults.push(...faultsOf(told, lost, before, now, isOver), ...exactFaultsOf(answers, guesses, before, isOver));
    before = now;
    if (expires) await t.sql('update otps set expires_at = now() where id = $1', [toUuid(pin.pinId)]);
    isOver ||= expires;
  }
  return faults;
}

/** The rules after any fault: at most five, all counted, none forgotten, one success. */
function faultsOf(told: readonly Told[], lost: number, before: StoredPin, now: StoredPin, isOver: boolean): string[] {
  const evaluated = told.filter(isEvaluated);
  const logged = (now.log.otp_incorrect ?? 0) + (now.log.otp_verified ?? 0);
  const remaining = evaluated.flatMap(({ attemptsRemaining }) => attemptsRemaining ?? []);
  const rules: [string, boolean][] = [
    [`${evaluated.length} were evaluated`, evaluated.length <= ATTEMPTS_MAX],
    [`${now.attempts} attempts are stored`, now.attempts <= ATTEMPTS_MAX],
    [`${before.attempts} attempts became ${now.attempts}`, now.attempts >= before.attempts],
    [`${evaluated.length} were evaluated, ${now.attempts} counted`, now.attempts >= evaluated.length],
    [`${now.attempts} counted, ${evaluated.length} evaluated, ${lost} lost`, now.attempts <= evaluated.length + lost],
    [`${now.attempts} counted, ${logged} logged`, now.attempts === logged],
    ['more than one success was told', told.filter(({ code }) => code === 'verified').length <= 1],
    ['more than one success is logged', (now.log.otp_verified ?? 0) <= 1],
    ['one number of attempts was told twice', new Set(remaining).size === remaining.length],
    ['a guess counted after the end', !isOver || now.attempts === before.attempts],
    [`${before.status} became ${now.status}`, before.status === 'sent' || now.status === before.status],
  ];
  return rules.filter(([, holds]) => !holds).map(([fault]) => fault);
}

/** The fault of a single guess, whose answer the state before it decides. */
function exactFaultsOf(
  answers: readonly { readonly answer: Told | null }[],
  guesses: Step['guesses'],
  before: StoredPin,
  isOver: boolean,
): string[] {
  const [only] = answers;
  const kind = guesses[0]?.kind;
  if (answers.length !== 1 || !only?.answer || (kind !== 'right' && kind !== 'wrong')) return [];
  const expected = expectedOf(kind, before, isOver);
  return only.answer.code === expected ? [] : [`${kind} when ${before.status}: ${only.answer.code}, not ${expected}`];
}

function expectedOf(kind: 'right' | 'wrong', { status }: StoredPin, isOver: boolean): Told['code'] {
  if (status === 'verified') return 'otp_already_verified';
  if (status === 'blocked') return 'otp_blocked';
  if (isOver) return 'otp_expired';
  return kind === 'right' ? 'verified' : 'otp_incorrect';
}

function property(verify: Verify) {
  return fc.asyncProperty(steps(), fc.scheduler(), async (schedule, scheduler) => {
    const faults = await play(schedule, scheduler, verify);
    if (faults.length > 0) throw new Error(faults.join('; '));
  });
}

describe('a schedule of guesses and faults', () => {
  test(
    'has at most five guesses looked at, all of them counted, at most one success, and forgets none',
    async () => {
      await assertProperty(property(guess), { numRuns: RUNS });
    },
    TIMEOUT_MS,
  );
});

/** Broken on purpose: it reads the row, compares, and writes then. */
const readThenWrite: Verify = async (ctx, pin, code) => {
  const sql = ctx.services.database.sql();
  const { refusal, attempts, isRight } = await look(sql, ctx, pin, code);
  if (refusal) return refusal;
  await count(sql, pin, isRight, String(attempts + 1));
  return toldOf(isRight, attempts + 1);
};

/** Broken on purpose: it counts in the unit of work of its caller, which may be rolled back (CVE-2026-35597). */
const countInCaller: Verify = async (ctx, pin, code) => {
  const sql = ctx.em.getKysely();
  const { refusal, isRight } = await look(sql, ctx, pin, code);
  if (refusal) return refusal;
  const attempts = await count(sql, pin, isRight, 'attempts + 1', `and status = 'sent' and expires_at > now()`);
  if (attempts !== null) return toldOf(isRight, attempts);
  return (await look(sql, ctx, pin, code)).refusal ?? { code: 'otp_blocked' };
};

function toldOf(isRight: boolean, attempts: number): Told {
  return isRight ? { code: 'verified' } : { code: 'otp_incorrect', attemptsRemaining: ATTEMPTS_MAX - attempts };
}

interface LookedAt {
  readonly attempts: number;
  readonly status: string;
  readonly is_over: boolean;
  readonly code_mac: string;
}

/** Reads the pin, and says whether the code is the right one, or why it is not looked at. */
async function look(sql: Sql, { actor }: Ctx, { pinId }: MadePin, code: string) {
  const { account: asker, area } = actor.kind === 'token' ? actor : { account: stranger, area: 'otp' };
  const [row] = await runSql<LookedAt>(
    sql,
    `select attempts, status, expires_at <= now() as is_over, code_mac from otps
     where id = $1 and account_id = $2 and area = $3`,
    [toUuid(pinId), toUuid('id' in asker ? asker.id : asker.accountId), area],
  );
  const isRight = row?.code_mac === codeMac(TEST_KEYS, TEST_KEYS.currentId, pinId, code);
  return { attempts: row?.attempts ?? 0, isRight, refusal: refusalOf(row) };
}

function refusalOf(row: LookedAt | undefined): Told | null {
  if (!row) return { code: 'otp_not_found' };
  if (row.status === 'verified') return { code: 'otp_already_verified' };
  if (row.status === 'blocked') return { code: 'otp_blocked' };
  return row.is_over ? { code: 'otp_expired' } : null;
}

/** Counts a guess and logs it; answers the attempts, or null where the condition does not hold any more. */
async function count(sql: Sql, { pinId }: MadePin, isRight: boolean, attempts: string, condition = '') {
  const [row] = await runSql<{ attempts: number }>(
    sql,
    `with counted as (
       update otps set attempts = ${attempts},
         status = case when $4 then 'verified' when ${attempts} >= ${ATTEMPTS_MAX} then 'blocked' else status end
       where id = $1 ${condition} returning *
     ), logged as (
       insert into attempts (id, account_id, area, type, pin_id, recipient, status, segments, started_at)
       select $2, account_id, area, $3, id, recipient, 'failed', 0, now() from counted
     )
     select attempts from counted`,
    [toUuid(pinId), toUuid(newId('att')), isRight ? 'otp_verified' : 'otp_incorrect', isRight],
  );
  return row?.attempts ?? null;
}

/** The broken rules of a verify, in the shortest schedule that was found. */
async function findFault(verify: Verify): Promise<string> {
  const { errorInstance } = await fc.check(property(verify), { numRuns: 200, seed: 7, endOnFailure: true });
  return String(errorInstance);
}

describe('the same rules catch a verify', () => {
  test('that reads the row and writes it then', async () => {
    expect(await findFault(readThenWrite)).toMatch(
      /told twice|more than one success|[1-9] were evaluated, [0-9] counted|[0-9] counted, [1-9] logged/,
    );
  });

  test('that counts where its caller can undo it', async context => {
    context.skip(wire === null, 'PGlite has one connection: no transaction can be around a verify');
    expect(await findFault(countInCaller)).toMatch(/[1-9] were evaluated, [0-9] counted/);
  });
});
