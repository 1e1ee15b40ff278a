import { beforeEach, describe, expect, test } from 'vitest';
import type { Ctx, OtpSettings, Services } from '../../../../src/context.ts';
import { runSql } from '../../../../src/db/statements/sql.ts';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { GIVE_BACK_SENDS } from '../../../../src/modules/otp/limits/send-addresses.sql.ts';
import { sendOtp } from '../../../../src/modules/otp/send/send-otp.ts';
import { acceptedOutcome, scriptedProviders } from '../../../support/app.ts';
import { describePostgres } from '../../../support/databases/database.ts';
import { setUpOtherProcess, setUpServices, setUpSharedAccount } from '../../../support/fixtures.ts';
import { letPass } from '../../../support/otp/budgets.ts';
import { from, holderWith, type ToldOfSend, tally, tryResend, trySend } from '../../../support/otp/guess.ts';
import { newRecipient } from '../../../support/otp/pins.ts';
import { createTestCtx, makeAccount } from '../../../support/services.ts';

const CALLS = 1_000;
const HOUR = 3_600;
const LIMIT = 20;

const t = setUpServices({
  providers: scriptedProviders(() => {
    arrivals += 1;
    return acceptedOutcome();
  }),
});
const account = setUpSharedAccount(t);
const other = setUpOtherProcess(t);
let arrivals = 0;

beforeEach(() => {
  arrivals = 0;
});

let last = 0;

/** An address that no other test has. */
function newAddress(): string {
  last += 1;
  return `203.0.${113 + (last >> 8)}.${last & 255}`;
}

/** A request of the account, which has these settings beside the defaults. */
function ctx(settings: Partial<OtpSettings> = {}, services: Services = t.services): Ctx {
  return createTestCtx(services, holderWith(account, settings));
}

/** As many requests as there are, over two processes in turn. */
function ctxs(settings: Partial<OtpSettings> = {}): Ctx[] {
  const processes = [t.services, { ...t.services, database: other }];
  return Array.from({ length: CALLS }, (_, index) => ctx(settings, processes[index % 2]));
}

/** Sends to so many recipients, one after another, for one address or without. */
async function sendMany(count: number, address?: string, settings: Partial<OtpSettings> = {}): Promise<ToldOfSend[]> {
  const answers = [];
  for (let sends = 0; sends < count; sends++) answers.push(await trySend(ctx(settings), newRecipient(), address));
  return answers;
}

/** How many sends are kept for each address of the account. */
async function kept(): Promise<Record<string, number>> {
  const rows = await t.sql<{ address: string; n: number }>(
    'select address, cardinality(sends) as n from otp_send_addresses where account_id = $1',
    [toUuid(account.accountId)],
  );
  return Object.fromEntries(rows.map(({ address, n }) => [address, n]));
}

/** A number of seconds that began to run a moment ago. */
const about = (seconds: number) => expect.toSatisfy((value: number) => value <= seconds && value > seconds - 20);

describe('sends for an address', () => {
  test('are twenty in an hour, and the next one hears when there is room', async () => {
    const address = newAddress();
    expect(tally(await sendMany(LIMIT, address))).toEqual({ sent: LIMIT });
    expect(await trySend(ctx(), newRecipient(), address)).toMatchObject({
      code: 'rate_limited',
      retryAfter: about(HOUR),
    });
    expect(arrivals).toBe(LIMIT);
  });

  test('are refused with a sentence and headers that name the limit', async () => {
    const address = newAddress();
    await sendMany(2, address);
    const request = ctx({ sendsPerAddress: 2 });
    await expect(
      sendOtp(request, { to: `+${newRecipient()}`, channels: ['sms'], clientIp: address }),
    ).rejects.toMatchObject({
      code: 'rate_limited',
      message: 'Too many passcodes were sent for this clientIp: the limit is 2 an hour. Try again later.',
    });
    expect(request.request.answerHeaders.get('RateLimit-Policy')).toBe('"otp-sends-address";q=2;w=3600');
  });

  test('slide with the time', async () => {
    const address = newAddress();
    const two = { sendsPerAddress: 2 };
    await sendMany(1, address, two);
    await letPass(t.sql, account.accountId, HOUR - 30);
    expect(tally(await sendMany(2, address, two))).toEqual({ sent: 1, rate_limited: 1 });
    await letPass(t.sql, account.accountId, 31);
    expect(tally(await sendMany(2, address, two))).toEqual({ sent: 1, rate_limited: 1 });
  });

  test('are what the account has set, however many were sent before', async () => {
    const address = newAddress();
    await sendMany(5, address);
    expect(tally(await sendMany(1, address, { sendsPerAddress: 3 }))).toEqual({ rate_limited: 1 });
    expect(tally(await sendMany(2, address, { sendsPerAddress: 6 }))).toEqual({ sent: 1, rate_limited: 1 });
  });

  test('are not counted where the account has switched the limit off', async () => {
    const address = newAddress();
    expect(tally(await sendMany(LIMIT + 1, address, { sendsPerAddress: null }))).toEqual({ sent: LIMIT + 1 });
    expect((await kept())[address]).toBeUndefined();
  });

  test('of another address count apart', async () => {
    const one = { sendsPerAddress: 1 };
    expect(tally(await sendMany(1, newAddress(), one))).toEqual({ sent: 1 });
    expect(tally(await sendMany(1, newAddress(), one))).toEqual({ sent: 1 });
  });

  test('that are given back are those of their address alone', async () => {
    const [one, other] = [newAddress(), newAddress()];
    for (const address of [one, other]) await sendMany(2, address);
    const left = [{ account_id: toUuid(account.accountId), address: one, places: 1 }];
    await GIVE_BACK_SENDS.run(t.database.sql(), { left });
    expect(await kept()).toMatchObject({ [one]: 1, [other]: 2 });
  });

  test('of another account count apart', async () => {
    const address = newAddress();
    await sendMany(1, address, { sendsPerAddress: 1 });
    const stranger = await makeAccount(t.services);
    const request = createTestCtx(t.services, holderWith(stranger, { sendsPerAddress: 1 }));
    expect(await trySend(request, newRecipient(), address)).toMatchObject({ code: 'sent' });
  });

  test.each([
    [
      'an IPv4 address and its mapped forms',
      ['192.0.2.77', '::ffff:192.0.2.77', '::FFFF:c000:24d', '0:0:0:0:0:ffff:192.0.2.77'],
    ],
    [
      'one /64 of IPv6, in lower and upper case, short and in full',
      ['2001:db8:7:1::1', '2001:DB8:7:1::2', '2001:0db8:0007:0001:0000:0000:0000:0003', '2001:db8:7:1:ffff::%eth0'],
    ],
    ['a private address, as any other', ['10.0.0.9', '::ffff:10.0.0.9']],
  ])('count together for %s', async (_what, spellings) => {
    const settings = { sendsPerAddress: spellings.length };
    for (const spelling of spellings) expect(tally(await sendMany(1, spelling, settings))).toEqual({ sent: 1 });
    for (const spelling of spellings) expect(tally(await sendMany(1, spelling, settings))).toEqual({ rate_limited: 1 });
  });

  test('to the nine sandbox numbers are not counted', async () => {
    const address = newAddress();
    const answers = [];
    for (let sends = 0; sends < 3; sends++)
      answers.push(await trySend(ctx({ sendsPerAddress: 2 }), '12025550100', address));
    expect(tally(answers)).toEqual({ sent: 3 });
  });

  test('that name none are not counted, whatever the address of the caller', async () => {
    const before = await kept();
    const answers = [];
    for (let sends = 0; sends < 5; sends++)
      answers.push(await trySend(from(ctx({ sendsPerAddress: 1 }), '198.51.100.7'), newRecipient()));
    expect([tally(answers), await kept()]).toEqual([{ sent: 5 }, before]);
  });

  test('that were refused for their recipient do not count', async () => {
    const address = newAddress();
    const recipient = newRecipient();
    const answers = [];
    for (let sends = 0; sends < 4; sends++) answers.push(await trySend(ctx(), recipient, address));
    expect(tally(answers)).toEqual({ sent: 1, otp_cooldown: 3 });
    expect((await kept())[address]).toBe(1);
  });

  test('that nothing paid for do not count', async () => {
    const poor = await makeAccount(t.services, { credits: 0 });
    const address = newAddress();
    const request = createTestCtx(t.services, holderWith(poor, {}));
    expect(await trySend(request, newRecipient(), address)).toMatchObject({ code: 'insufficient_balance' });
    const [row] = await t.sql<{ sends: unknown[] }>('select sends from otp_send_addresses where address = $1', [
      address,
    ]);
    expect(row?.sends).toEqual([]);
  });

  test('that were refused count for no recipient', async () => {
    const address = newAddress();
    const recipient = newRecipient();
    await sendMany(1, address, { sendsPerAddress: 1 });
    expect(await trySend(ctx({ sendsPerAddress: 1 }), recipient, address)).toMatchObject({ code: 'rate_limited' });
    expect(await trySend(ctx(), recipient)).toMatchObject({ code: 'sent' });
  });

  test('again are not counted: their recipient was sent to for it before', async () => {
    const address = newAddress();
    const { otp } = await trySend(ctx({ sendsPerAddress: 1 }), newRecipient(), address);
    await t.sql('update otps set resend_available_at = now() where id = $1', [toUuid(otp?.id ?? '')]);
    expect(await tryResend(ctx({ sendsPerAddress: 1 }), otp?.id ?? '')).toMatchObject({ code: 'sent' });
    expect((await kept())[address]).toBe(1);
  });

  test('at once to one recipient leave the place of each refused one to the others', async () => {
    const address = newAddress();
    const one = newRecipient();
    const recipients = [one, one, one, newRecipient(), newRecipient()];
    const answers = await Promise.all(recipients.map(each => trySend(ctx({ sendsPerAddress: 3 }), each, address)));
    expect(answers.map(({ code }) => code)).toEqual(['sent', 'otp_cooldown', 'otp_cooldown', 'sent', 'sent']);
    expect((await kept())[address]).toBe(3);
  });
});

describe('1,000 sends at the same time over two processes', () => {
  test('for one address to as many recipients: twenty go out', async () => {
    const address = newAddress();
    const answers = await Promise.all(ctxs().map(each => trySend(each, newRecipient(), address)));
    expect(tally(answers)).toEqual({ sent: LIMIT, rate_limited: CALLS - LIMIT });
    expect([arrivals, (await kept())[address]]).toEqual([LIMIT, LIMIT]);
  });

  test('for one address to one recipient: one goes out and counts', async () => {
    const address = newAddress();
    const recipient = newRecipient();
    const answers = await Promise.all(ctxs().map(each => trySend(each, recipient, address)));
    expect(tally(answers)).toEqual({ sent: 1, otp_cooldown: CALLS - 1 });
    expect([arrivals, (await kept())[address]]).toEqual([1, 1]);
  });

  test('for one address, and half of them for none: those all go out', async () => {
    const address = newAddress();
    const answers = await Promise.all(
      ctxs().map((each, index) => trySend(each, newRecipient(), index % 4 < 2 ? address : undefined)),
    );
    expect(tally(answers)).toEqual({ sent: CALLS / 2 + LIMIT, rate_limited: CALLS / 2 - LIMIT });
  });
});

describePostgres('a limit that reads what was sent and writes then', () => {
  test('lets more than one of 1,000 take the last place', async () => {
    const address = newAddress();
    await sendMany(LIMIT - 1, address);
    // So many have read before one of them writes: what happens by chance under load happens every time.
    const readers = 10;
    const allRead = Promise.withResolvers<void>();
    let readCount = 0;
    const admit = async (each: Ctx): Promise<boolean> => {
      const sql = each.services.database.sql();
      const [row] = await runSql<{ n: number }>(
        sql,
        'select cardinality(sends) as n from otp_send_addresses where address = $1',
        [address],
      );
      readCount += 1;
      if (readCount >= readers) allRead.resolve();
      await allRead.promise;
      if ((row?.n ?? 0) >= LIMIT) return false;
      await runSql(sql, 'update otp_send_addresses set sends = sends || clock_timestamp() where address = $1', [
        address,
      ]);
      return true;
    };
    const admitted = await Promise.all(ctxs().map(admit));
    expect(admitted.filter(Boolean).length).toBeGreaterThan(1);
    expect((await kept())[address]).toBeGreaterThan(LIMIT);
  });
});
