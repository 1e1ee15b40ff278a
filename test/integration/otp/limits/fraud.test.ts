import { beforeEach, describe, expect, test } from 'vitest';
import type { Ctx, OtpSettings } from '../../../../src/context.ts';
import type { Database } from '../../../../src/db/orm.ts';
import { PATIENCE_MS, patiently } from '../../../../src/db/postgres/bounded-client.ts';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { OTP_SETTINGS_DEFAULT } from '../../../../src/modules/accounts/settings/otp-settings.policy.ts';
import { READ_TRAFFIC } from '../../../../src/modules/otp/limits/judge-sends.sql.ts';
import { sendOtp } from '../../../../src/modules/otp/send/send-otp.ts';
import { verifyOtp } from '../../../../src/modules/otp/verify/verify-otp.ts';
import { acceptedOutcome, scriptedProviders } from '../../../support/app.ts';
import { setUpServices } from '../../../support/fixtures.ts';
import { REFUSED } from '../../../support/messaging/scripted-sends.ts';
import { makeAccount, openTestDatabase, type TestAccount } from '../../../support/services.ts';

const t = setUpServices({
  providers: scriptedProviders(({ to, text }) => {
    if (isDown) return REFUSED;
    sent.push(to);
    codes.set(to, /\d{6}/.exec(text)?.[0] ?? '');
    return acceptedOutcome();
  }),
});
let account: TestAccount;
let sent: string[] = [];
let isDown = false;
const codes = new Map<string, string>();

beforeEach(async () => {
  sent = [];
  isDown = false;
  account = await makeAccount(t.services);
});

/** The context of a caller whose account has these settings. */
function ctxWith(settings: Partial<OtpSettings>, database: Database = t.database): Ctx {
  const actor = account.actor('unified');
  if (actor.kind !== 'token') throw new Error('not a token');
  const otp = { ...OTP_SETTINGS_DEFAULT, ...settings };
  const ctx = t.ctxFor({ ...actor, account: { ...actor.account, otp } });
  return ctx.with({ services: { ...ctx.services, database } });
}

async function logged(): Promise<object[]> {
  return t.sql(
    `select type, status, error_code, error_message, recipient, country, channel, pin_id from attempts
     where account_id = $1 and type in ('otp_flagged', 'otp_blocked') order by id`,
    [toUuid(account.accountId)],
  );
}

/** Numbers that differ in their last four digits only. */
const adjacent = (index: number): string => `+120255${String(60_000 + index)}`;

describe('a country that was not chosen', () => {
  test('is sent to and logged where the guard observes', async () => {
    await sendOtp(ctxWith({ countries: ['DE'] }), { to: adjacent(1) });
    expect(sent).toHaveLength(1);
    await expect(logged()).resolves.toEqual([
      expect.objectContaining({
        type: 'otp_flagged',
        status: 'sent',
        error_code: 'country_not_allowed',
        country: 'US',
      }),
    ]);
  });

  test('is logged once for each of several sends to one phone at once', async () => {
    const ctx = () => ctxWith({ countries: ['DE'], cooldownSeconds: 0 });
    await Promise.all(Array.from({ length: 5 }, () => sendOtp(ctx(), { to: adjacent(1) })));
    await expect(logged()).resolves.toHaveLength(5);
  });

  test('is refused on `to`, logged with the reason and not sent to where it blocks', async () => {
    const sending = sendOtp(ctxWith({ countries: ['DE'], fraudMode: 'block' }), { to: adjacent(1) });
    await expect(sending).rejects.toMatchObject({ code: 'invalid_input', details: { errors: [{ field: 'to' }] } });
    expect(sent).toEqual([]);
    await expect(logged()).resolves.toEqual([
      expect.objectContaining({
        type: 'otp_blocked',
        status: 'blocked',
        error_code: 'country_not_allowed',
        pin_id: null,
      }),
    ]);
  });

  test('counts as no send: the recipient may be sent to at once when the country is chosen', async () => {
    await sendOtp(ctxWith({ countries: ['DE'], fraudMode: 'block' }), { to: adjacent(1) }).catch(() => undefined);
    await sendOtp(ctxWith({ countries: ['US'], fraudMode: 'block' }), { to: adjacent(1) });
    expect(sent).toHaveLength(1);
  });

  test('is nobody’s business where the guard is off', async () => {
    await sendOtp(ctxWith({ countries: ['DE'], fraudMode: 'off' }), { to: adjacent(1) });
    await expect(logged()).resolves.toEqual([]);
  });
});

describe('the type of a number', () => {
  test.each([
    ['a premium-rate number', '+499001234567'],
    ['a landline', '+493012345678'],
  ])('%s gets no code by SMS', async (_name, to) => {
    const sending = sendOtp(ctxWith({ countries: ['*'], fraudMode: 'block' }), { to });
    await expect(sending).rejects.toMatchObject({ code: 'invalid_input', details: { errors: [{ field: 'to' }] } });
    await expect(logged()).resolves.toEqual([expect.objectContaining({ error_code: 'number_type_refused' })]);
  });

  test('a landline may have one over a chat', async () => {
    const input = { to: '+493012345678', channels: ['chat_qr' as const], chatFrom: '15550000001' };
    await expect(sendOtp(ctxWith({ countries: ['*'], fraudMode: 'block' }), input)).resolves.toMatchObject({
      status: 'sent',
    });
  });
});

describe('a prefix whose codes are never verified', () => {
  const block = { countries: ['*'], fraudMode: 'block' } as const;

  // The count goes by hours: an hour that has just ended counts for a little less than its sends.
  beforeEach(() =>
    patiently(PATIENCE_MS.job, () =>
      t.sql(
        `select pg_sleep(seconds::float8) from (
           select extract(epoch from date_trunc('hour', at) + interval '1 hour' - at) as seconds from clock_timestamp() at) h
         where seconds < 30`,
      ),
    ),
  );

  test('is stopped after three in an hour, and each refusal says so in the log', async () => {
    const results = [];
    for (let index = 0; index < 5; index++) {
      results.push(await sendOtp(ctxWith(block), { to: adjacent(index) }).catch((error: unknown) => error));
    }
    expect(sent).toHaveLength(3);
    expect(results.slice(3)).toEqual([
      expect.objectContaining({ code: 'rate_limited', details: { retryAfter: 3_600 } }),
      expect.objectContaining({ code: 'rate_limited' }),
    ]);
    await expect(logged()).resolves.toEqual([
      expect.objectContaining({
        type: 'otp_blocked',
        error_code: 'too_many_unverified',
        recipient: adjacent(3).slice(1),
      }),
      expect.objectContaining({ type: 'otp_blocked', error_code: 'too_many_unverified' }),
    ]);
  });

  test('goes on while its codes are verified', async () => {
    for (let index = 0; index < 8; index++) {
      const otp = await sendOtp(ctxWith(block), { to: adjacent(index) });
      await verifyOtp(ctxWith(block), { pinId: otp.id, pin: codes.get(otp.recipient) ?? '' });
    }
    expect(sent).toHaveLength(8);
    await expect(logged()).resolves.toEqual([]);
  });

  test('goes on after codes that no provider took, over two processes at once', async () => {
    const second = t.testDatabase.kind === 'postgres' ? await openTestDatabase(t.testDatabase) : t.database;
    isDown = true;
    const failing = Array.from({ length: 40 }, (_unused, index) =>
      sendOtp(ctxWith({ countries: ['*'] }, index % 2 === 0 ? t.database : second), { to: adjacent(index) }),
    );
    const failed = await Promise.all(failing);
    if (second !== t.database) await second.close();
    expect(new Set(failed.map(otp => otp.status))).toEqual(new Set(['failed']));
    isDown = false;
    for (let index = 40; index < 43; index++) await sendOtp(ctxWith(block), { to: adjacent(index) });
    await expect(sendOtp(ctxWith(block), { to: adjacent(43) })).rejects.toMatchObject({ code: 'rate_limited' });
  });

  test('counts on where a code of the sandbox’s numbers fails', async () => {
    // Each of a prefix of its own, so that the country alone has as many as it may.
    const apart = (index: number): string => `+1202${556 + index}1234`;
    for (let index = 0; index < 3; index++) await sendOtp(ctxWith(block), { to: apart(index) });
    isDown = true;
    await expect(sendOtp(ctxWith(block), { to: '+12025550101' })).resolves.toMatchObject({ status: 'failed' });
    await expect(sendOtp(ctxWith(block), { to: apart(3) })).rejects.toMatchObject({ code: 'rate_limited' });
  });

  test('goes on where the guard observes, with an entry for each', async () => {
    for (let index = 0; index < 5; index++) await sendOtp(ctxWith({}), { to: adjacent(index) });
    expect(sent).toHaveLength(5);
    await expect(logged()).resolves.toHaveLength(2);
  });

  test('an attack of a thousand adjacent numbers at once, over two processes, gets three codes', async () => {
    const second = t.testDatabase.kind === 'postgres' ? await openTestDatabase(t.testDatabase) : t.database;
    const attack = Array.from({ length: 1_000 }, (_unused, index) =>
      sendOtp(ctxWith(block, index % 2 === 0 ? t.database : second), { to: adjacent(index) }),
    );
    const results = await Promise.allSettled(attack);
    if (second !== t.database) await second.close();
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(3);
    expect(sent).toHaveLength(3);
    await expect(logged()).resolves.toHaveLength(997);
  });

  test('the sandbox’s numbers are exempt', async () => {
    for (let index = 0; index < 9; index++) await sendOtp(ctxWith(block), { to: `+1202555010${index}` });
    expect(sent).toHaveLength(9);
    await expect(logged()).resolves.toEqual([]);
  });

  test('counts the hour before for the part that is less than an hour ago', async () => {
    const place = { account_id: toUuid(account.accountId), place: 'US' };
    await t.sql(
      `insert into otp_traffic (account_id, place, hour, sent, verified)
       values ($1, 'US', date_trunc('hour', clock_timestamp()) - interval '1 hour', 1000000, 0)`,
      [place.account_id],
    );
    const part = `select 1 - extract(epoch from clock_timestamp() - date_trunc('hour', clock_timestamp()))::float8 / 3600 as part`;
    const [before] = await t.sql<{ part: number }>(part);
    const [counted] = await READ_TRAFFIC.run(t.database.sql(), { places: [place] });
    const [after] = await t.sql<{ part: number }>(part);
    const share = (counted?.sent1h ?? 0) / 1_000_000;
    expect([share <= (before?.part ?? 0), share >= (after?.part ?? 1) - 1e-6]).toEqual([true, true]);
  });

  test('counts a day and the best day of fourteen, each place by itself', async () => {
    const id = toUuid(account.accountId);
    await t.sql(
      `insert into otp_traffic (account_id, place, hour, sent, verified)
       select $1, place, date_trunc('hour', clock_timestamp()) - make_interval(hours => ago), sent, verified
       from (values ('US', 0, 1, 1), ('US', 23, 10, 2), ('US', 24, 100, 9), ('US', 14 * 24 - 1, 0, 60), ('US', 14 * 24, 0, 80),
         ('DE', 120, 50, 40)) v (place, ago, sent, verified)`,
      [id],
    );
    const places = ['US', 'DE'].map(place => ({ account_id: id, place }));
    const rows = await READ_TRAFFIC.run(t.database.sql(), { places });
    expect(rows.toSorted((a, b) => a.place.localeCompare(b.place))).toMatchObject([
      { place: 'DE', sent1h: 0, sent24h: 0, verified24h: 0, maxVerifiedDay: 40 },
      { place: 'US', sent1h: 1, verified1h: 1, sent24h: 11, verified24h: 3, maxVerifiedDay: 60 },
    ]);
  });

  test('yesterday’s best day makes room', async () => {
    await t.sql(
      `insert into otp_traffic (account_id, place, hour, sent, verified)
       select $1, place, date_trunc('hour', now()) - interval '2 days', 400, 400 from unnest(array['US', '+1202556']) place`,
      [toUuid(account.accountId)],
    );
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_unused, index) => sendOtp(ctxWith(block), { to: adjacent(index) })),
    );
    // A fifth of a sixth of the best day: 400 / 30.
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(13);
  });
});
