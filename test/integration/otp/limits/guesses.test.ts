import { beforeEach, describe, expect, test } from 'vitest';
import type { Ctx, OtpSettings, Services } from '../../../../src/context.ts';
import type { Area } from '../../../../src/kernel/crypto/secrets.ts';
import { newId, toUuid } from '../../../../src/kernel/ids.ts';
import { setUpAccount, setUpOtherProcess, setUpServices } from '../../../support/fixtures.ts';
import { newAddress } from '../../../support/otp/addresses.ts';
import { letPass, wrongAgo, wrongsKept } from '../../../support/otp/budgets.ts';
import { from, guess, holderWith, isEvaluated, type Told, tally, trySend } from '../../../support/otp/guess.ts';
import { type MadePin, makePin, makePins, newRecipient, storedPin, wrongCode } from '../../../support/otp/pins.ts';
import { makeAccount } from '../../../support/services.ts';

const CALLS = 1_000;
const HOUR = 3_600;
const DAY = 24 * HOUR;

const t = setUpServices();
const account = setUpAccount(t);
const other = setUpOtherProcess(t);

function ctx(settings: Partial<OtpSettings> = {}, area: Area = 'unified'): Ctx {
  return t.ctxFor(holderWith(account, settings, area));
}

/** The same, at the other of two processes where the number is odd. */
function ctxAt(number: number): Ctx {
  const services: Services = number % 2 === 0 ? t.services : { ...t.services, database: other };
  return ctx().with({ services });
}

const pin = (recipient?: string, area?: Area) =>
  makePin(t.sql, { accountId: account.accountId, ...(recipient ? { recipient } : {}), ...(area ? { area } : {}) });

/** Guesses wrong, from an address of its own each time unless told; answers what each was told. */
async function guessWrong(target: MadePin, times: number, by: Ctx = ctx(), address?: string): Promise<Told[]> {
  const answers: Told[] = [];
  for (let number = 0; number < times; number++) {
    answers.push(await guess(by, target, wrongCode(target, number), address ?? newAddress()));
  }
  return answers;
}

/** Has these wrong codes been given for a recipient, each so many seconds ago. */
const wrongFor = (recipient: string, secondsAgo: readonly number[]) =>
  wrongAgo(t.sql, { accountId: account.accountId, recipient }, secondsAgo);

/** Has these wrong codes been given from an address, each so many seconds ago. */
const wrongFrom = (address: string, secondsAgo: readonly number[]) =>
  wrongAgo(t.sql, { accountId: account.accountId, address }, secondsAgo);

const budgets = () => wrongsKept(t.sql, account.accountId);

const about = (seconds: number) => expect.toSatisfy((value: number) => value <= seconds && value > seconds - 20);
const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);

describe('wrong codes of one recipient', () => {
  test('are 20, over all of its pins', async () => {
    const recipient = newRecipient();
    for (let pins = 0; pins < 4; pins++) {
      expect(tally(await guessWrong(await pin(recipient), 5))).toEqual({ otp_incorrect: 5 });
    }
    const fifth = await pin(recipient);
    expect(await guessWrong(fifth, 3)).toEqual(times(3, { code: 'rate_limited', retryAfter: about(DAY) }));
    expect(await storedPin(t.sql, fifth.pinId)).toEqual({ status: 'sent', attempts: 0, log: { otp_blocked: 3 } });
  });

  test('at once with those that fill the day wait as long', async () => {
    const target = await pin();
    await wrongFor(target.recipient, times(18, HOUR));
    const answers = await Promise.all(
      times(5, 0).map((_, number) => guess(ctx(), target, wrongCode(target, number), newAddress())),
    );
    expect(tally(answers)).toEqual({ otp_incorrect: 2, rate_limited: 3 });
    for (const { code, retryAfter } of answers)
      if (code === 'rate_limited') expect(retryAfter).toEqual(about(DAY - HOUR));
  });

  test('at once with those that the account refuses are refused by the account, too', async () => {
    const target = await pin();
    await wrongFor(target.recipient, times(18, HOUR));
    await wrongAgo(t.sql, { accountId: account.accountId, isOfAccount: true }, times(3, 1));
    const limited = ctx({ wrongCodesPerAccount: 3 });
    const answers = await Promise.all(
      times(5, 0).map((_, number) => guess(limited, target, wrongCode(target, number), newAddress())),
    );
    expect(answers).toEqual(times(5, { code: 'rate_limited', retryAfter: about(60) }));
  });

  test('are not forgotten when a new code is sent', async () => {
    const recipient = newRecipient();
    await wrongFor(recipient, times(20, HOUR));
    const { otp } = await trySend(ctx(), recipient);
    expect(await guess(ctx(), { pinId: otp?.id ?? '' }, '0')).toMatchObject({ code: 'rate_limited' });
  });

  test('are counted together over the areas', async () => {
    const recipient = newRecipient();
    await wrongFor(recipient, times(17, HOUR));
    expect(tally(await guessWrong(await pin(recipient), 2))).toEqual({ otp_incorrect: 2 });
    const answers = await guessWrong(await pin(recipient, 'otp'), 3, ctx({}, 'otp'));
    expect(tally(answers)).toEqual({ otp_incorrect: 1, rate_limited: 2 });
  });

  test('are 20 of 1,000 guesses of 50 pins at the same time, over two processes', async () => {
    const recipient = newRecipient();
    const pins = await pinsTogether(recipient, 50);
    const answers = await Promise.all(
      times(CALLS / pins.length, pins)
        .flat()
        .map((target, number) => guess(ctxAt(number), target, wrongCode(target, number), newAddress())),
    );
    const evaluated = answers.filter(isEvaluated).length;
    const [{ attempts } = { attempts: -1 }] = await t.sql<{ attempts: number }>(
      'select sum(attempts)::int as attempts from otps where recipient = $1',
      [recipient],
    );
    expect({ evaluated, attempts, stamps: (await budgets())[`+${recipient}`] }).toEqual({
      evaluated: 20,
      attempts: 20,
      stamps: 20,
    });
    expect(tally(answers)).toEqual({ otp_incorrect: 20, rate_limited: CALLS - 20 });
  });

  test.each([
    ['20 are nearly a day old', times(20, DAY - 30), { rate_limited: 5 }],
    ['20 are a day old', times(20, DAY + 1), { otp_incorrect: 5 }],
    ['3 of 20 are a day old', [...times(3, DAY + 1), ...times(17, HOUR)], { otp_incorrect: 3, rate_limited: 2 }],
  ])('slide with the time: %s', async (_when, secondsAgo, codes) => {
    const target = await pin();
    await wrongFor(target.recipient, secondsAgo);
    expect(tally(await guessWrong(target, 5))).toEqual(codes);
  });

  test('wait until the oldest of them leaves the day', async () => {
    const target = await pin();
    await wrongFor(target.recipient, [DAY - 100, ...times(19, HOUR)]);
    expect(await guess(ctx(), target, wrongCode(target))).toEqual({ code: 'rate_limited', retryAfter: about(100) });
  });

  test('are as many as the account has set', async () => {
    const answers = await guessWrong(await pin(), 5, ctx({ wrongCodesPerDay: 3 }));
    expect(tally(answers)).toEqual({ otp_incorrect: 3, rate_limited: 2 });
  });

  test('of another account are counted apart', async () => {
    const target = await pin();
    await wrongFor(target.recipient, times(20, HOUR));
    const stranger = await makeAccount(t.services);
    const theirs = await makePin(t.sql, { accountId: stranger.accountId, recipient: target.recipient });
    expect(await guess(t.ctxFor(stranger.actor('unified')), theirs, wrongCode(theirs))).toMatchObject({
      code: 'otp_incorrect',
    });
  });

  test('of the numbers of the sandbox are not counted', async () => {
    for (let pins = 0; pins < 6; pins++) {
      expect(tally(await guessWrong(await pin('12025550100'), 5))).toEqual({ otp_incorrect: 5 });
    }
    expect(Object.keys(await budgets()).filter(subject => subject.startsWith('+'))).toEqual([]);
  });
});

/** Live pins of one recipient, more than the index allows: the limit of a recipient holds by itself. */
async function pinsTogether(recipient: string, count: number): Promise<readonly MadePin[]> {
  await t.sql('drop index if exists otps_live_unique');
  return makePins(t.sql, times(count, { accountId: account.accountId, recipient }));
}

test('wrong codes of a number of the sandbox have no limit, many at once either', async () => {
  const pins = await pinsTogether('12025550101', 6);
  const answers = await Promise.all(
    pins.flatMap(target =>
      times(5, 0).map((_, number) => guess(ctx(), target, wrongCode(target, number), newAddress())),
    ),
  );
  expect(tally(answers)).toEqual({ otp_incorrect: 30 });
});

describe('wrong codes from one address', () => {
  test('are 30, over all recipients', async () => {
    const address = newAddress();
    const answers = [];
    for (let pins = 0; pins < 33; pins++) answers.push(...(await guessWrong(await pin(), 1, ctx(), address)));
    expect(tally(answers)).toEqual({ otp_incorrect: 30, rate_limited: 3 });
    expect(answers.at(-1)).toEqual({ code: 'rate_limited', retryAfter: about(300) });
  });

  test('are 30 of 1,000 guesses of 1,000 pins at the same time, over two processes', async () => {
    const address = newAddress();
    const pins = await makePins(t.sql, times(CALLS, { accountId: account.accountId }));
    const answers = await Promise.all(
      pins.map((target, number) => guess(ctxAt(number), target, wrongCode(target), address)),
    );
    expect(tally(answers)).toEqual({ otp_incorrect: 30, rate_limited: CALLS - 30 });
    expect((await budgets())[address]).toBe(30);
  });

  test('are counted for the caller where no end user is named', async () => {
    const target = await pin();
    await guess(from(ctx(), '203.0.113.9'), target, wrongCode(target));
    expect(await budgets()).toEqual({ '203.0.113.9': 1, [`+${target.recipient}`]: 1, account: 1 });
  });

  test('are counted for no address at a door that names no end user', async () => {
    const target = await pin();
    const by = ctx();
    const atDoor = by.with({ request: { ...by.request, isAtDoor: true } });
    expect(await guess(atDoor, target, wrongCode(target))).toMatchObject({ code: 'otp_incorrect' });
    expect(await budgets()).toEqual({ [`+${target.recipient}`]: 1, account: 1 });
  });

  test('are counted for the end user alone where one is named', async () => {
    const target = await pin();
    await guess(from(ctx(), '203.0.113.9'), target, wrongCode(target), '198.51.100.7');
    expect(await budgets()).toEqual({ '198.51.100.7': 1, [`+${target.recipient}`]: 1, account: 1 });
  });

  test.each([
    ['by the /64', ['2001:db8:0:1::1', '2001:db8:0:1:ffff:ffff:ffff:ffff', '2001:db8:0:1:dead:beef:0:7'], 1],
    [
      'however it is written',
      ['2001:db8:0:1::1', '2001:DB8:0:1::1', '2001:0db8:0000:0001:0000:0000:0000:0001', '2001:db8:0:1::0.0.0.1'],
      1,
    ],
    [
      'as IPv4 where it is mapped',
      ['192.0.2.77', '::ffff:192.0.2.77', '::ffff:c000:24d', '0:0:0:0:0:FFFF:192.0.2.77'],
      1,
    ],
    ['apart for two networks', ['2001:db8:0:1::1', '2001:db8:0:2::1'], 2],
  ])('are counted %s', async (_how, addresses, subjects) => {
    for (const address of addresses) await guessWrong(await pin(), 1, ctx(), address);
    const kept = Object.entries(await budgets()).filter(
      ([subject]) => !subject.startsWith('+') && subject !== 'account',
    );
    expect(kept).toHaveLength(subjects);
    expect(kept.reduce((sum, [, n]) => sum + n, 0)).toBe(addresses.length);
  });

  test.each([
    ['30 are nearly five minutes old', times(30, 270), { rate_limited: 5 }],
    ['30 are five minutes old', times(30, 301), { otp_incorrect: 5 }],
    ['2 of 30 are five minutes old', [...times(2, 301), ...times(28, 100)], { otp_incorrect: 2, rate_limited: 3 }],
  ])('slide with the time: %s', async (_when, secondsAgo, codes) => {
    const address = newAddress();
    await wrongFrom(address, secondsAgo);
    expect(tally(await guessWrong(await pin(), 5, ctx(), address))).toEqual(codes);
  });

  test('are as many as the account has set', async () => {
    const answers = await guessWrong(await pin(), 5, ctx({ wrongCodesPerAddress: 2 }), newAddress());
    expect(tally(answers)).toEqual({ otp_incorrect: 2, rate_limited: 3 });
  });

  test('are counted where another guess of the group came with a smaller limit', async () => {
    const [address, target, another] = [newAddress(), await pin(), await pin()];
    await wrongFrom(address, times(3, 10));
    await Promise.all([
      guess(ctx({ wrongCodesPerAddress: 5 }), target, wrongCode(target), address),
      guess(ctx({ wrongCodesPerAddress: 2 }), another, wrongCode(another), newAddress()),
    ]);
    expect(await budgets()).toMatchObject({ [address]: 4 });
  });

  test('are counted for the numbers of the sandbox too', async () => {
    const answers = await guessWrong(await pin('12025550101'), 5, ctx({ wrongCodesPerAddress: 2 }), newAddress());
    expect(tally(answers)).toEqual({ otp_incorrect: 2, rate_limited: 3 });
  });

  test('of another account are counted apart', async () => {
    const address = newAddress();
    await wrongFrom(address, times(30, 10));
    const stranger = await makeAccount(t.services);
    const theirs = await makePin(t.sql, { accountId: stranger.accountId });
    expect(await guess(t.ctxFor(stranger.actor('unified')), theirs, wrongCode(theirs), address)).toMatchObject({
      code: 'otp_incorrect',
    });
  });

  test('leave the recipient alone, once they are too many', async () => {
    const address = newAddress();
    await wrongFrom(address, times(30, 10));
    const target = await pin();
    expect(tally(await guessWrong(target, 50, ctx(), address))).toEqual({ rate_limited: 50 });
    expect(await budgets()).toEqual({ [address]: 30 });
    expect(await guess(ctx(), target, target.code, newAddress())).toEqual({ code: 'verified' });
  });
});

describe.each([
  ['recipient', ({ recipient }: MadePin) => ({ recipient }), 20, DAY],
  ['address', () => ({ address: '127.0.0.1' }), 30, 300],
  ['account', () => ({ isOfAccount: true as const }), 60, 60],
] as const)('once the wrong codes of a %s are used up', (_what, budgetOf, limit, span) => {
  test('the right code is refused and counts nothing, and is good when there is room again', async () => {
    const target = await pin();
    await wrongAgo(t.sql, { accountId: account.accountId, ...budgetOf(target) }, times(limit, 10));
    const before = await budgets();
    const limited = ctx({ wrongCodesPerAccount: 60 });
    expect(await guess(limited, target, target.code)).toEqual({ code: 'rate_limited', retryAfter: about(span - 10) });
    expect(await storedPin(t.sql, target.pinId)).toEqual({ status: 'sent', attempts: 0, log: { otp_blocked: 1 } });
    expect(await budgets()).toEqual(before);
    await letPass(t.sql, account.accountId, span);
    expect(await guess(limited, target, target.code)).toEqual({ code: 'verified' });
  });
});

describe('nothing is taken from any budget', () => {
  test('by right codes', async () => {
    for (let pins = 0; pins < 3; pins++) {
      const target = await pin();
      expect(await guess(ctx(), target, target.code)).toEqual({ code: 'verified' });
    }
    expect(await budgets()).toEqual({});
  });

  test("by 1,000 guesses of another account's pin, not one of which is looked at", async () => {
    const target = await pin();
    const stranger = await makeAccount(t.services);
    const answers = await Promise.all(
      Array.from({ length: CALLS }, (_, number) =>
        guess(t.ctxFor(stranger.actor('unified')), target, number % 2 === 0 ? target.code : wrongCode(target)),
      ),
    );
    expect(answers).toEqual(times(CALLS, { code: 'otp_not_found' }));
    expect([await budgets(), await wrongsKept(t.sql, stranger.accountId)]).toEqual([{}, {}]);
    expect(await storedPin(t.sql, target.pinId)).toEqual({ status: 'sent', attempts: 0, log: {} });
  });

  test("by guesses of another area's pin", async () => {
    const target = await pin();
    expect(await guess(ctx({}, 'otp'), target, target.code)).toEqual({ code: 'otp_not_found' });
    expect(await storedPin(t.sql, target.pinId)).toEqual({ status: 'sent', attempts: 0, log: {} });
  });

  test('by guesses of pins that nobody has, and their number limits nobody', async () => {
    const address = newAddress();
    const unknown = { pinId: newId('pin') };
    const answers = await Promise.all(times(100, null).map(() => guess(ctx(), unknown, '123456', address)));
    expect(answers).toEqual(times(100, { code: 'otp_not_found' }));
    expect(await budgets()).toEqual({});
    const target = await pin();
    expect(await guess(ctx(), target, wrongCode(target), address)).toMatchObject({ code: 'otp_incorrect' });
  });

  test.each([
    ['verified', 'otp_already_verified'],
    ['blocked', 'otp_blocked'],
    ['cancelled', 'otp_expired'],
    ['expired', 'otp_expired'],
    ['failed', 'otp_expired'],
  ])('by guesses of a pin that is %s', async (status, code) => {
    const target = await pin();
    await t.sql('update otps set status = $2 where id = $1', [toUuid(target.pinId), status]);
    for (const guessed of [target.code, wrongCode(target)])
      expect(await guess(ctx(), target, guessed)).toEqual({ code });
    expect(await budgets()).toEqual({});
    expect(await storedPin(t.sql, target.pinId)).toMatchObject({ status, attempts: 0 });
  });
});

describe.each([0, -HOUR, HOUR])("at a process whose clock is %i s off the database's", offset => {
  beforeEach(() => t.clock.set(new Date(Date.now() + offset * 1_000)));

  /** Moves the end of a code to so many seconds from now. */
  const endsIn = (target: MadePin, seconds: number) =>
    t.sql('update otps set expires_at = clock_timestamp() + make_interval(secs => $2) where id = $1', [
      toUuid(target.pinId),
      seconds,
    ]);

  test('a code is good a second before its end', async () => {
    // On a machine that takes longer than that second over one guess, nothing is said: another one is made.
    for (let isInTime = false; !isInTime; ) {
      const target = await pin();
      await endsIn(target, 1);
      const told = await guess(ctx(), target, target.code);
      const [row] = await t.sql<{ is_in_time: boolean }>(
        'select clock_timestamp() < expires_at as is_in_time from otps where id = $1',
        [toUuid(target.pinId)],
      );
      isInTime = row?.is_in_time ?? false;
      if (isInTime) expect(told).toEqual({ code: 'verified' });
    }
  });

  test('a code is over a second after its end, and not looked at', async () => {
    const target = await pin();
    await endsIn(target, -1);
    expect(await guess(ctx(), target, target.code)).toEqual({ code: 'otp_expired' });
    expect(await storedPin(t.sql, target.pinId)).toEqual({ status: 'expired', attempts: 0, log: { otp_expired: 1 } });
  });

  test('wrong codes leave their windows by the clock of the database', async () => {
    const target = await pin();
    await wrongFor(target.recipient, times(20, DAY - 30));
    expect(await guess(ctx(), target, target.code)).toEqual({ code: 'rate_limited', retryAfter: about(30) });
    await letPass(t.sql, account.accountId, 31);
    expect(await guess(ctx(), target, target.code)).toEqual({ code: 'verified' });
  });
});
