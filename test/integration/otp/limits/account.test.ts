import { Writable } from 'node:stream';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Actor, Ctx, OtpSettings } from '../../../../src/context.ts';
import { newId } from '../../../../src/kernel/ids.ts';
import { createLogger } from '../../../../src/observability/logger.ts';
import { setUpOtherProcess, setUpServices } from '../../../support/fixtures.ts';
import { readRecord } from '../../../support/leaks/log-faults.ts';
import { newAddress } from '../../../support/otp/addresses.ts';
import { letPass, wrongAgo, wrongsKept } from '../../../support/otp/budgets.ts';
import { guess, holderWith, type Told, tally } from '../../../support/otp/guess.ts';
import { type MadePin, makePin, makePins, newRecipient, storedPin, wrongCode } from '../../../support/otp/pins.ts';
import { assertProperty } from '../../../support/runner/properties.ts';
import { rounds } from '../../../support/runner/rounds.ts';
import { makeAccount, type TestAccount } from '../../../support/services.ts';

/** How many pins are sprayed; a night's run asks for 10,000 (`SPRAY_PINS=10000`). */
const CALLS = Number(process.env.SPRAY_PINS ?? 1_000);
const LIMIT = 60;
/** The account has no limit: what it has unless it is given one. */
const UNLIMITED = { wrongCodesPerAccount: null };
const MINUTE = 60;

const t = setUpServices();
let account: TestAccount;
const other = setUpOtherProcess(t);

// The budget is the account's own, so each test begins with none of it used.
beforeEach(async () => {
  account = await makeAccount(t.services);
});

/** The holder of a token of the account, at the second of two processes where it is asked for. */
function ctx(settings: Partial<OtpSettings> = {}, area: 'unified' | 'otp' = 'unified', isOther = false): Ctx {
  return ctxOf(holderWith(account, { wrongCodesPerAccount: LIMIT, ...settings }, area), isOther);
}

function ctxOf(actor: Actor, isOther = false): Ctx {
  const made = t.ctxFor(actor);
  return isOther ? made.with({ services: { ...made.services, database: other } }) : made;
}

const pinsOf = (count: number, area: 'unified' | 'otp' = 'unified') =>
  makePins(
    t.sql,
    Array.from({ length: count }, () => ({ accountId: account.accountId, area })),
  );
const pinOf = () => makePin(t.sql, { accountId: account.accountId });
const wrong = (target: MadePin, by: Ctx = ctx(), address = newAddress()) =>
  guess(by, target, wrongCode(target), address);
const budgets = () => wrongsKept(t.sql, account.accountId);
const useUp = (secondsAgo: readonly number[]) =>
  wrongAgo(t.sql, { accountId: account.accountId, isOfAccount: true }, secondsAgo);
const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);
const LIMITED: Told = { code: 'rate_limited', retryAfter: expect.toSatisfy((s: number) => s >= 1 && s <= MINUTE) };

describe('wrong codes of one account', () => {
  test('are 60 of a thousand guesses of as many pins at the same time, each from an address of its own, over two processes, two areas and many tokens', async () => {
    // The embedded database has one connection, on which a thousand wait for longer than a request may.
    const calls = t.testDatabase.kind === 'pglite' ? 200 : CALLS;
    const [unified, otp] = [await pinsOf(calls / 2), await pinsOf(calls / 2, 'otp')];
    const answers = await Promise.all([
      ...unified.map((target, number) => wrong(target, ctx({}, 'unified', number % 2 === 1))),
      ...otp.map((target, number) => wrong(target, ctx({}, 'otp', number % 2 === 1))),
    ]);
    const [{ attempts } = { attempts: -1 }] = await t.sql<{ attempts: number }>(
      'select sum(attempts)::int as attempts from otps where account_id = $1::uuid',
      [account.accountId.replace('acc_', '')],
    );
    expect(tally(answers)).toEqual({ otp_incorrect: LIMIT, rate_limited: calls - LIMIT });
    expect({ attempts, stamps: (await budgets()).account }).toEqual({ attempts: LIMIT, stamps: LIMIT });
    expect(answers.filter(({ code }) => code === 'rate_limited')).toEqual(times(calls - LIMIT, LIMITED));
  });

  test('leave the pins alone, once they are too many, and the log says so', async () => {
    await useUp(times(LIMIT, 1));
    const target = await pinOf();
    expect(await wrong(target)).toEqual(LIMITED);
    expect(await storedPin(t.sql, target.pinId)).toEqual({ status: 'sent', attempts: 0, log: { otp_blocked: 1 } });
  });

  test.each([
    ['60 are nearly a minute old', times(LIMIT, 40), { rate_limited: 5 }],
    ['60 are a minute old', times(LIMIT, 61), { otp_incorrect: 5 }],
    ['2 of 60 are a minute old', [...times(2, 61), ...times(58, 20)], { otp_incorrect: 2, rate_limited: 3 }],
  ])('slide with the time: %s', async (_when, secondsAgo, codes) => {
    await useUp(secondsAgo);
    const answers: Told[] = [];
    for (const target of await pinsOf(5)) answers.push(await wrong(target));
    expect(tally(answers)).toEqual(codes);
  });

  test('are as many as the account has set', async () => {
    const answers: Told[] = [];
    for (const target of await pinsOf(5)) answers.push(await wrong(target, ctx({ wrongCodesPerAccount: 3 })));
    expect(tally(answers)).toEqual({ otp_incorrect: 3, rate_limited: 2 });
  });

  test('are counted for the numbers of the sandbox too', async () => {
    const target = await makePin(t.sql, { accountId: account.accountId, recipient: '12025550100' });
    const answers = [];
    for (let number = 0; number < 5; number++) answers.push(await wrong(target, ctx({ wrongCodesPerAccount: 2 })));
    expect(tally(answers)).toEqual({ otp_incorrect: 2, rate_limited: 3 });
  });

  test('are as many as there are where it has no limit, and the right one after them is looked at', async () => {
    const answers = await Promise.all((await pinsOf(200)).map(target => wrong(target, ctx(UNLIMITED))));
    expect(tally(answers)).toEqual({ otp_incorrect: 200 });
    const target = await pinOf();
    expect(await guess(ctx(UNLIMITED), target, target.code)).toEqual({ code: 'verified' });
  });

  test('of another account are counted apart', async () => {
    await useUp(times(LIMIT, 1));
    const stranger = await makeAccount(t.services);
    const theirs = await makePin(t.sql, { accountId: stranger.accountId });
    expect(await wrong(theirs, ctxOf(stranger.actor('unified')))).toMatchObject({ code: 'otp_incorrect' });
  });
});

describe('the budget of an account is not used up', () => {
  test('by guesses from an address that is out of its own', async () => {
    const address = newAddress();
    const pins = await pinsOf(100);
    const answers = await Promise.all(pins.map(target => wrong(target, ctx(), address)));
    expect(tally(answers)).toEqual({ otp_incorrect: 30, rate_limited: 70 });
    expect(await budgets()).toMatchObject({ account: 30 });
  });

  test('by guesses at a recipient who is out of them', async () => {
    const recipient = newRecipient();
    await wrongAgo(t.sql, { accountId: account.accountId, recipient }, times(20, 100));
    const target = await makePin(t.sql, { accountId: account.accountId, recipient });
    await Promise.all(times(100, null).map(() => wrong(target)));
    expect((await budgets()).account).toBeUndefined();
  });

  test('by guesses of pins that nobody has, and they are told so when it is full', async () => {
    const unknown = { pinId: newId('pin') };
    const told = await Promise.all(times(100, null).map(() => guess(ctx(), unknown, '123456', newAddress())));
    expect(told).toEqual(times(100, { code: 'otp_not_found' }));
    expect(await budgets()).toEqual({});
    await useUp(times(LIMIT, 1));
    expect(await guess(ctx(), unknown, '123456', newAddress())).toEqual({ code: 'otp_not_found' });
  });

  test("by guesses of another account's pins, which learn nothing from its being full", async () => {
    const stranger = await makeAccount(t.services);
    await useUp(times(LIMIT, 1));
    const before = await budgets();
    expect(await wrong(await pinOf(), ctxOf(stranger.actor('unified')))).toEqual({ code: 'otp_not_found' });
    expect([await budgets(), await wrongsKept(t.sql, stranger.accountId)]).toEqual([before, {}]);
  });
});

/** A caller whose log is kept. */
function heard(): {
  lines: Record<string, unknown>[];
  by: (isOther?: boolean, settings?: Partial<OtpSettings>) => Ctx;
} {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(line, _encoding, done) {
      lines.push(readRecord(String(line)) ?? {});
      done();
    },
  });
  const log = createLogger('info', stream);
  return { lines, by: (isOther = false, settings = {}) => ctx(settings, 'unified', isOther).with({ log: () => log }) };
}

async function alarmsCounted(): Promise<number> {
  const { values } = await t.services.metrics.otpAlarms.get();
  return values[0]?.value ?? 0;
}

describe('the operator is told', () => {
  test.each([
    ['the limit is reached', {}],
    ['there are 60 in a minute of an account without a limit', UNLIMITED],
  ])(
    'once when %s, whichever processes the guesses come to, and once again in the next minute',
    async (_when, settings) => {
      const { lines, by } = heard();
      const before = await alarmsCounted();
      const spray = async () => {
        const pins = await pinsOf(300);
        await Promise.all(pins.map((target, number) => wrong(target, by(number % 2 === 1, settings))));
      };
      await spray();
      await spray();
      expect([lines.length, (await alarmsCounted()) - before]).toEqual([1, 1]);
      await letPass(t.sql, account.accountId, MINUTE + 1);
      await spray();
      expect([lines.length, (await alarmsCounted()) - before]).toEqual([2, 2]);
    },
  );

  test('by an error with the account, the token and the limit, and nothing that is secret', async () => {
    const { lines, by } = heard();
    await useUp(times(LIMIT - 1, 1));
    const target = await pinOf();
    await wrong(target, by());
    expect(lines).toEqual([
      {
        level: 50,
        time: expect.any(String),
        event: 'otp_wrong_codes_alarm',
        accountId: account.accountId,
        tokenId: expect.stringMatching(/^tok_/),
        wrongCodes: LIMIT,
        windowSeconds: 60,
        msg: 'an account has many wrong codes: somebody may be guessing passcodes',
      },
    ]);
  });

  test('by the first wrong code of all where the limit is one', async () => {
    const { lines, by } = heard();
    await wrong(await pinOf(), by(false, { wrongCodesPerAccount: 1 }));
    expect(lines).toMatchObject([{ event: 'otp_wrong_codes_alarm', wrongCodes: 1 }]);
  });

  test('nothing before that, nor of pins that nobody has', async () => {
    const { lines, by } = heard();
    for (const target of await pinsOf(10)) await wrong(target, by());
    await Promise.all(times(200, null).map(() => guess(by(), { pinId: newId('pin') }, '1', newAddress())));
    expect(lines).toEqual([]);
  });
});

/** One guess of a story: who is guessed at, from where, over which token, and how many seconds after the one before. */
const STEP = fc.record({
  isRight: fc.boolean(),
  recipient: fc.nat({ max: 2 }),
  address: fc.nat({ max: 3 }),
  area: fc.constantFrom('unified' as const, 'otp' as const),
  after: fc.constantFrom(0, 0, 0, 0, 25, 61, 301),
});
type Step = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never;

const LIMITS = { wrongCodesPerAddress: 3, wrongCodesPerDay: 6 };

/** The answer to each guess, when all come one after another: each budget in turn, and none of those behind one that is full. */
function modelOf(steps: readonly Step[], wrongCodesPerAccount: number | null): Told['code'][] {
  const spent: { at: number; address: number; recipient: number; isCounted: boolean }[] = [];
  let now = 0;
  return steps.map(({ isRight, recipient, address, after }) => {
    now += after;
    const younger = (seconds: number) => spent.filter(({ at }) => at > now - seconds);
    const entry = { at: now, address, recipient, isCounted: false };
    if (younger(300).filter(other => other.address === address).length >= LIMITS.wrongCodesPerAddress)
      return 'rate_limited';
    // From here on the address has paid for a wrong one, whatever the others say.
    if (!isRight) spent.push(entry);
    const counted = (seconds: number) => younger(seconds).filter(({ isCounted }) => isCounted);
    if (counted(86_400).filter(other => other.recipient === recipient).length >= LIMITS.wrongCodesPerDay)
      return 'rate_limited';
    if (wrongCodesPerAccount !== null && counted(60).length >= wrongCodesPerAccount) return 'rate_limited';
    entry.isCounted = true;
    return isRight ? 'verified' : 'otp_incorrect';
  });
}

test.each([4, null])(
  'any story of guesses goes as its budgets say, the limit of the account %j among them',
  async wrongCodesPerAccount => {
    const property = fc.asyncProperty(fc.array(STEP, { minLength: 4, maxLength: 14 }), async steps => {
      account = await makeAccount(t.services);
      const recipients = [newRecipient(), newRecipient(), newRecipient()];
      const told: Told['code'][] = [];
      for (const { isRight, recipient, address, area, after } of steps) {
        if (after > 0) await letPass(t.sql, account.accountId, after);
        // A pin of its own for each guess: its five attempts are not what this is about.
        await t.sql(`update otps set status = 'cancelled' where account_id = $1::uuid and status = 'sent'`, [
          account.accountId.replace('acc_', ''),
        ]);
        const target = await makePin(t.sql, {
          accountId: account.accountId,
          recipient: recipients[recipient] ?? '',
          area,
        });
        const code = isRight ? target.code : wrongCode(target);
        told.push(
          (await guess(ctx({ ...LIMITS, wrongCodesPerAccount }, area), target, code, `192.0.2.${address}`)).code,
        );
      }
      expect(told).toEqual(modelOf(steps, wrongCodesPerAccount));
    });
    await assertProperty(property, { numRuns: rounds({ usual: 12, long: 80 }) });
  },
  300_000,
);
