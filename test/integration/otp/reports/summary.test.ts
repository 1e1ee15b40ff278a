import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AccountGrant, Actor, OtpSettings } from '../../../../src/context.ts';
import {
  SUMMARY_KEYS,
  type SummarizeOtpsInput,
  summarizeOtpsInput,
} from '../../../../src/modules/otp/reports/list-otps.input.ts';
import { type OtpSummary, summarizeOtps } from '../../../../src/modules/otp/reports/summarize-otps.ts';
import { sendOtp } from '../../../../src/modules/otp/send/send-otp.ts';
import { verifyOtp } from '../../../../src/modules/otp/verify/verify-otp.ts';
import type { Attempt } from '../../../../src/modules/routing/attempt.entity.ts';
import { listSandboxMessages } from '../../../../src/modules/sandbox/list-sandbox-messages.ts';
import { setUpServices } from '../../../support/fixtures.ts';
import { makeAttempt, midMonth } from '../../../support/logs/log-rows.ts';
import { newPinId } from '../../../support/otp/rows.ts';
import { readInput } from '../../../support/refusal.ts';
import { assertProperty } from '../../../support/runner/properties.ts';
import { rounds } from '../../../support/runner/rounds.ts';
import { makeAccount, type TestAccount } from '../../../support/services.ts';

const on = setUpServices();
let account: TestAccount;

beforeEach(async () => {
  account = await makeAccount(on);
});

const MINUTE = 60_000;
const DAY = 86_400_000;

/** Midday of a day of last month, and that whole day in UTC. */
const NOON = midMonth(-1);
const from = new Date(NOON.getTime() - DAY / 2);
const to = new Date(NOON.getTime() + DAY / 2);
const fromNoon = (ms: number): Date => new Date(NOON.getTime() + ms);

interface PinLog {
  readonly accountId?: string;
  readonly area?: Attempt['area'];
  readonly country?: string | null;
  /** Each with what its provider said; at noon unless told. */
  readonly attempts?: readonly Partial<Attempt>[];
  /** The outcomes of the OTP, each so long after noon. */
  readonly outcomes?: readonly (readonly [type: Attempt['type'], ms: number])[];
}

/** The log entries of one OTP that was made at noon: sent by SMS unless told. */
function logOf({ accountId = account.accountId, attempts = [{}], outcomes = [], ...given }: PinLog = {}): Attempt[] {
  const shared = { area: 'unified' as const, country: 'US', messageId: null, pinId: newPinId(), ...given };
  return [
    ...attempts.map(attempt => {
      const startedAt = attempt.startedAt ?? NOON;
      const providerMessageId = attempt.status === undefined || attempt.status === 'sent' ? 'sbx' : null;
      return makeAttempt(accountId, {
        ...shared,
        type: 'otp_attempt',
        startedAt,
        finishedAt: startedAt,
        providerMessageId,
        ...attempt,
      });
    }),
    ...outcomes.map(([type, ms]) =>
      // Its id is of when it came, its start of when the OTP was made.
      Object.assign(makeAttempt(accountId, { startedAt: fromNoon(ms) }), {
        ...shared,
        type,
        status: 'failed',
        provider: null,
        startedAt: NOON,
        finishedAt: fromNoon(ms),
      }),
    ),
  ];
}

async function store(...logs: readonly Attempt[][]): Promise<void> {
  await on.database.fork().persist(logs.flat()).flush();
}

function summarize(input: SummarizeOtpsInput = {}, actor: Actor = account.actor('unified')): Promise<OtpSummary[]> {
  return summarizeOtps(on.ctxFor(actor), { from, to, ...input });
}

const NOTHING: OtpSummary = {
  day: null,
  channel: null,
  country: null,
  sent: 0,
  failed: 0,
  verified: 0,
  conversionRate: null,
  incorrect: 0,
  expired: 0,
  blocked: 0,
  refused: 0,
  flagged: 0,
  medianSecondsToVerify: null,
};

/** One row for all, as the only one. */
async function total(input: SummarizeOtpsInput = {}): Promise<OtpSummary> {
  const rows = await summarize({ ...input, by: [] });
  expect(rows.length).toBeLessThan(2);
  return rows[0] ?? NOTHING;
}

const sms = (status: Attempt['status'], given: Partial<Attempt> = {}): Partial<Attempt> => ({
  channel: 'sms',
  status,
  ...given,
});
const chat = (status: Attempt['status'], given: Partial<Attempt> = {}): Partial<Attempt> => ({
  channel: 'chat_qr',
  status,
  ...given,
});

describe('what an OTP counts as', () => {
  test.each<[string, PinLog, Partial<OtpSummary>]>([
    ['accepted', { attempts: [sms('sent')] }, { sent: 1, conversionRate: 0 }],
    ['delivered', { attempts: [sms('delivered')] }, { sent: 1, conversionRate: 0 }],
    ['unknown', { attempts: [sms('unknown')] }, { sent: 1, conversionRate: 0 }],
    ['under way', { attempts: [sms('pending')] }, {}],
    ['failed', { attempts: [sms('failed')] }, { failed: 1 }],
    ['failed on every channel', { attempts: [chat('failed'), sms('expired')] }, { failed: 1 }],
    ['failed on one of two', { attempts: [chat('failed'), sms('sent')] }, { sent: 1, conversionRate: 0 }],
    ['failed on one, under way on the next', { attempts: [chat('failed'), sms('pending')] }, {}],
    [
      'accepted and later reported undelivered',
      { attempts: [sms('failed', { providerMessageId: 'sbx' })] },
      { sent: 1, failed: 1, conversionRate: 0 },
    ],
    [
      'sent twice',
      { attempts: [sms('sent'), sms('sent', { startedAt: fromNoon(2 * MINUTE) })] },
      { sent: 1, conversionRate: 0 },
    ],
    [
      'verified',
      { outcomes: [['otp_verified', 12_500]] },
      { sent: 1, verified: 1, conversionRate: 1, medianSecondsToVerify: 12.5 },
    ],
    [
      'verified though its provider refused it',
      { attempts: [sms('failed')], outcomes: [['otp_verified', 1_000]] },
      { sent: 1, verified: 1, conversionRate: 1, medianSecondsToVerify: 1 },
    ],
    [
      'verified while it was handed over',
      { attempts: [sms('pending')], outcomes: [['otp_verified', 1_000]] },
      { sent: 1, verified: 1, conversionRate: 1, medianSecondsToVerify: 1 },
    ],
    [
      'tried with two wrong codes',
      {
        outcomes: [
          ['otp_incorrect', 1_000],
          ['otp_incorrect', 2_000],
        ],
      },
      { sent: 1, incorrect: 2, conversionRate: 0 },
    ],
    [
      'tried twice after its time',
      {
        outcomes: [
          ['otp_expired', 6 * MINUTE],
          ['otp_expired', 7 * MINUTE],
        ],
      },
      { sent: 1, expired: 1, conversionRate: 0 },
    ],
    [
      'tried twice after it was blocked',
      {
        outcomes: [
          ['otp_blocked', 1_000],
          ['otp_blocked', 2_000],
        ],
      },
      { sent: 1, blocked: 1, conversionRate: 0 },
    ],
  ])('%s', async (_name, log, expected) => {
    await store(logOf(log));
    await expect(total()).resolves.toEqual({ ...NOTHING, ...expected });
  });

  test('has no row for what people wrote', async () => {
    const wrote = { type: 'inbound' as const, channel: 'chat_qr' as const, country: 'FR', pinId: null };
    await store([makeAttempt(account.accountId, { ...wrote, startedAt: NOON, finishedAt: NOON })]);
    expect(await summarize()).toEqual([]);
  });

  test('is what the verbs wrote into the log', async () => {
    const ctx = on.ctxFor(account.actor('unified'));
    const recipient = '+14155550100';
    const { id: pinId } = await sendOtp(ctx, { to: recipient, channels: ['sms'] });
    const [arrived] = await listSandboxMessages(ctx, { to: recipient, first: 1 });
    const pin = /\d{6}/.exec(arrived?.text ?? '')?.[0] ?? '';
    const wrong = String((Number(pin) + 1) % 1_000_000).padStart(6, '0');
    await expect(verifyOtp(ctx, { pinId, pin: wrong })).rejects.toMatchObject({ code: 'otp_incorrect' });
    await verifyOtp(ctx, { pinId, pin });
    const rows = await summarizeOtps(ctx, {});
    expect(rows).toEqual([
      {
        ...NOTHING,
        day: on.clock.now().toISOString().slice(0, 10),
        channel: 'sms',
        country: 'US',
        sent: 1,
        verified: 1,
        conversionRate: 1,
        incorrect: 1,
        medianSecondsToVerify: expect.any(Number),
      },
    ]);
  });

  test.each<[OtpSettings['fraudMode'], Partial<OtpSummary>]>([
    ['block', { refused: 1 }],
    ['observe', { flagged: 1, sent: 1, conversionRate: 0 }],
  ])('is what the fraud guard wrote in the mode %s', async (fraudMode, expected) => {
    const grant: AccountGrant = { ...account.grant, otp: { ...account.grant.otp, countries: ['DE'], fraudMode } };
    const actor: Actor = { kind: 'operator', account: grant };
    const ctx = on.ctxFor(actor);
    await sendOtp(ctx, { to: '+14155550101', channels: ['sms'] }).catch(error => {
      expect(error).toMatchObject({ code: 'invalid_input' });
    });
    await expect(summarizeOtps(ctx, { by: [] })).resolves.toEqual([{ ...NOTHING, ...expected }]);
  });

  test('is nothing for a message', async () => {
    await store([makeAttempt(account.accountId, { startedAt: NOON })]);
    await expect(summarize()).resolves.toEqual([]);
  });
});

describe('the figures', () => {
  test('are the rate of those verified, and the median of their times', async () => {
    await store(
      ...[10_000, 20_000].map(ms => logOf({ outcomes: [['otp_verified', ms]] })),
      ...[1, 2].map(() => logOf()),
      logOf({ attempts: [sms('failed')] }),
    );
    await expect(total()).resolves.toMatchObject({
      sent: 4,
      verified: 2,
      failed: 1,
      conversionRate: 0.5,
      medianSecondsToVerify: 15,
    });
  });
});

describe('the channel of an OTP', () => {
  test.each<[string, PinLog, OtpSummary['channel']]>([
    ['accepted it', { attempts: [chat('failed'), sms('sent')] }, 'sms'],
    [
      'accepted it first',
      { attempts: [sms('sent', { finishedAt: fromNoon(900) }), chat('sent', { finishedAt: fromNoon(100) })] },
      'chat_qr',
    ],
    ['accepted it, not the one that may have', { attempts: [chat('unknown'), sms('sent')] }, 'sms'],
    ['may have accepted it, where none did', { attempts: [chat('failed'), sms('unknown')] }, 'sms'],
    [
      'was tried first, where all failed',
      { attempts: [chat('failed', { finishedAt: fromNoon(100) }), sms('failed', { finishedAt: fromNoon(200) })] },
      'chat_qr',
    ],
    [
      'accepted it at first, whatever a resend took',
      { attempts: [chat('sent'), sms('sent', { startedAt: fromNoon(MINUTE) })] },
      'chat_qr',
    ],
  ])('is the one that %s', async (_name, log, channel) => {
    await store(logOf(log));
    await expect(summarize({ by: ['channel'] })).resolves.toMatchObject([{ channel }]);
  });
});

describe('the time of an OTP', () => {
  test('is the day in UTC of its first attempt, for all that became of it', async () => {
    const midnight = fromNoon(DAY / 2);
    const [attempt, verified] = logOf({ outcomes: [['otp_verified', DAY / 2 + MINUTE]] });
    if (!attempt || !verified) throw new Error('no log');
    const sentAt = new Date(midnight.getTime() - 1);
    await store([
      Object.assign(makeAttempt(account.accountId, { startedAt: sentAt }), {
        ...attempt,
        id: makeAttempt('', { startedAt: sentAt }).id,
        startedAt: sentAt,
      }),
      verified,
    ]);
    await expect(summarize({ to: fromNoon(2 * DAY) })).resolves.toMatchObject([
      { day: NOON.toISOString().slice(0, 10), sent: 1, verified: 1 },
    ]);
  });

  test('is from its beginning on, and before its end', async () => {
    await store(logOf());
    const sent = async (input: SummarizeOtpsInput) => (await total(input)).sent;
    await expect(sent({ from: NOON })).resolves.toBe(1);
    await expect(sent({ from: fromNoon(1) })).resolves.toBe(0);
    await expect(sent({ to: fromNoon(1) })).resolves.toBe(1);
    await expect(sent({ to: NOON })).resolves.toBe(0);
  });

  test('is not that of a resend', async () => {
    await store(logOf({ attempts: [sms('sent'), sms('sent', { startedAt: fromNoon(5 * MINUTE) })] }));
    await expect(summarize({ from: fromNoon(MINUTE) })).resolves.toEqual([]);
  });

  test('takes in what became of it after the end', async () => {
    await store(
      logOf({
        outcomes: [
          ['otp_verified', 30 * MINUTE],
          ['otp_expired', DAY],
        ],
      }),
    );
    await expect(total({ to: fromNoon(1) })).resolves.toMatchObject({ sent: 1, verified: 1, expired: 1 });
  });

  test('is of the last 30 days in UTC unless told, today among them', async () => {
    on.clock.set(fromNoon(29 * DAY));
    const at = (ms: number) => logOf({ attempts: [sms('sent', { startedAt: new Date(from.getTime() + ms) })] });
    await store(at(-1), at(0), at(1));
    const [row, ...others] = await summarizeOtps(on.ctxFor(account.actor('unified')), { by: ['day'] });
    expect([row, others]).toMatchObject([{ day: from.toISOString().slice(0, 10), sent: 2 }, []]);
  });

  test('is of the 30 days that end with the one before `to`, where only that is told', async () => {
    const at = (ms: number) => logOf({ attempts: [sms('sent', { startedAt: new Date(from.getTime() + ms) })] });
    await store(at(-1), at(0));
    const end = new Date(from.getTime() + 30 * DAY);
    await expect(summarizeOtps(on.ctxFor(account.actor('unified')), { to: end, by: [] })).resolves.toMatchObject([
      { sent: 1 },
    ]);
  });
});

describe('the rows', () => {
  test('are apart by day, channel and country, the newest day first', async () => {
    const next = { startedAt: fromNoon(DAY) };
    await store(
      logOf({ attempts: [sms('sent', next)] }),
      logOf({ attempts: [sms('sent')], country: 'DE' }),
      logOf({ attempts: [chat('sent')] }),
      logOf({ attempts: [chat('sent')], country: null }),
    );
    const day = NOON.toISOString().slice(0, 10);
    const rows = await summarize({ to: fromNoon(2 * DAY) });
    expect(rows.map(row => [row.day, row.channel, row.country, row.sent])).toEqual([
      [fromNoon(DAY).toISOString().slice(0, 10), 'sms', 'US', 1],
      [day, 'chat_qr', 'US', 1],
      [day, 'chat_qr', null, 1],
      [day, 'sms', 'DE', 1],
    ]);
  });

  test('count the same together, whatever they are apart by', async () => {
    const status = fc.constantFrom<Attempt['status']>('pending', 'sent', 'failed', 'unknown', 'delivered');
    const log = fc.record({
      country: fc.constantFrom('US', 'DE', null),
      attempts: fc.array(
        fc.record({
          channel: fc.constantFrom('sms' as const, 'chat_qr' as const),
          status,
          startedAt: fc.integer({ min: -700, max: 700 }).map(minutes => fromNoon(minutes * MINUTE)),
        }),
        { minLength: 1, maxLength: 3 },
      ),
      outcomes: fc.array(
        fc.tuple(
          fc.constantFrom<Attempt['type']>('otp_verified', 'otp_incorrect', 'otp_expired', 'otp_blocked'),
          fc.integer({ min: 0, max: 55 }).map(minutes => minutes * MINUTE),
        ),
        { maxLength: 3 },
      ),
    });
    const add = (rows: readonly OtpSummary[]) =>
      (['sent', 'failed', 'verified', 'incorrect', 'expired', 'blocked', 'refused', 'flagged'] as const).map(figure =>
        rows.reduce((sum, row) => sum + row[figure], 0),
      );
    const keys = fc.array(fc.subarray([...SUMMARY_KEYS]), { minLength: 4, maxLength: 4 });
    await assertProperty(
      fc.asyncProperty(fc.array(log, { minLength: 1, maxLength: 8 }), keys, async (logs, subsets) => {
        account = await makeAccount(on);
        await store(...logs.map(logOf));
        const whole = add(await summarize({ by: [] }));
        for (const by of subsets) {
          const rows = await summarize({ by });
          expect(add(rows)).toEqual(whole);
          const together = SUMMARY_KEYS.filter(key => !by.includes(key));
          expect(rows.flatMap(row => together.map(key => row[key])).filter(value => value !== null)).toEqual([]);
          expect(rows.filter(row => (row.conversionRate ?? 0) > 1)).toEqual([]);
        }
      }),
      { numRuns: rounds({ usual: 15, long: 60 }) },
    );
  });
});

describe('who sees which summary', () => {
  test.each([
    ['unified', 2],
    ['management', 2],
    ['otp', 1],
    ['sms', 0],
  ] as const)('a token of the area %s sees %i of two OTPs', async (area, count) => {
    await store(logOf(), logOf({ area: 'otp' }));
    const rows = await summarize({ by: [] }, account.actor(area));
    expect(rows.map(row => row.sent)).toEqual(count === 0 ? [] : [count]);
  });

  test("another account's OTPs count nowhere", async () => {
    const other = await makeAccount(on);
    await store(logOf({ accountId: other.accountId }));
    await expect(summarize()).resolves.toEqual([]);
  });

  test('a unified token reads nothing while the unified API is off', async () => {
    const closed = await makeAccount(on, { unifiedApi: false });
    await expect(summarize({}, closed.actor('unified'))).rejects.toMatchObject({ code: 'unified_api_disabled' });
  });

  test('guesses at pins that nobody has count nowhere', async () => {
    const ctx = on.ctxFor(account.actor('unified'));
    await expect(verifyOtp(ctx, { pinId: newPinId(), pin: '123456' })).rejects.toMatchObject({ code: 'otp_not_found' });
    await expect(summarizeOtps(ctx, {})).resolves.toEqual([]);
  });
});

describe('the input', () => {
  test.each<[string, SummarizeOtpsInput, string]>([
    ['more than 92 days', { from: fromNoon(-92 * DAY - 1), to: NOON }, 'from'],
    ['a beginning after the end', { from: NOON, to: fromNoon(-1) }, 'from'],
    ['a beginning 93 days ago', { from: new Date(Date.now() - 93 * DAY), to: null }, 'from'],
    ['what is no key', { by: ['sender' as 'day'] }, 'by.0'],
    ['what is no time', { to: new Date(Number.NaN) }, 'to'],
  ])('is refused with %s', async (_name, input, field) => {
    const read = async () => summarize(readInput(summarizeOtpsInput, input));
    await expect(read()).rejects.toMatchObject({ code: 'invalid_input', details: { errors: [{ field }] } });
  });

  test.each<[string, SummarizeOtpsInput]>([
    ['92 days', { from: fromNoon(-92 * DAY), to: NOON }],
    ['no time at all', { from: NOON, to: NOON }],
    ['the year 0', { from: new Date('0000-02-01T00:00:00Z'), to: new Date('0000-03-01T00:00:00Z') }],
    ['the year 9999', { from: new Date('9999-11-01T00:00:00Z'), to: new Date('9999-12-31T23:59:59Z') }],
  ])('may be %s', async (_name, input) => {
    await expect(summarize(input)).resolves.toEqual([]);
  });
});
