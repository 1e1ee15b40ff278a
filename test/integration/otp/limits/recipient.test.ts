import { beforeEach, describe, expect, inject, test } from 'vitest';
import type { SendRequest } from '../../../../src/channels/contract.ts';
import type { SendOutcome } from '../../../../src/channels/outcome.ts';
import { MAGIC_RECIPIENTS } from '../../../../src/channels/sandbox/recipients.ts';
import type { Ctx, OtpSettings, Services } from '../../../../src/context.ts';
import type { Database } from '../../../../src/db/orm.ts';
import type { Sql } from '../../../../src/db/statements/sql.ts';
import type { Area } from '../../../../src/kernel/crypto/secrets.ts';
import { newId, toUuid } from '../../../../src/kernel/ids.ts';
import { explainRefusals } from '../../../../src/modules/otp/limits/recipient-limits.ts';
import type { IssueItem } from '../../../../src/modules/otp/send/issue-item.ts';
import { OTP } from '../../../../src/modules/otp/send/otp-kind.ts';
import { sendOtp } from '../../../../src/modules/otp/send/send-otp.ts';
import { verifyOtp } from '../../../../src/modules/otp/verify/verify-otp.ts';
import { recoverSends } from '../../../../src/modules/routing/recovery/recover.ts';
import { acceptedOutcome, scriptedProviders } from '../../../support/app.ts';
import { setUpOtherProcess, setUpServices, setUpSharedAccount } from '../../../support/fixtures.ts';
import { letPass } from '../../../support/otp/budgets.ts';
import { holderWith, type ToldOfSend, tally, tryResend, trySend } from '../../../support/otp/guess.ts';
import { makePin, newRecipient } from '../../../support/otp/pins.ts';
import { createTestCtx, makeAccount, OPERATOR, openTestDatabase } from '../../../support/services.ts';

const CALLS = 1_000;
const HOUR = 3_600;
const DAY = 24 * HOUR;

const t = setUpServices({
  providers: scriptedProviders(request => {
    arrivals.push(request);
    return outcome();
  }),
});
const account = setUpSharedAccount(t);
const other = setUpOtherProcess(t);
let arrivals: SendRequest[] = [];
let outcome: () => SendOutcome = acceptedOutcome;

beforeEach(() => {
  arrivals = [];
  outcome = acceptedOutcome;
});

/** A request of the account, which has these settings beside the defaults. */
function ctx(settings: Partial<OtpSettings> = {}, area: Area = 'unified', services: Services = t.services): Ctx {
  return createTestCtx(services, holderWith(account, settings, area));
}

/** As many requests as there are, over two processes in turn. */
function ctxs(settings: Partial<OtpSettings>): Ctx[] {
  const processes = [t.services, { ...t.services, database: other }];
  return Array.from({ length: CALLS }, (_, index) => ctx(settings, 'unified', processes[index % 2]));
}

/** A zone whose clock went forward by an hour so many hours ago, as POSIX writes it. */
function zoneForwardAgo(hours: number): string {
  const at = new Date(Date.now() - hours * HOUR * 1_000);
  const day = Math.floor((at.getTime() - Date.UTC(at.getUTCFullYear(), 0, 0)) / (DAY * 1_000));
  return `STD0DST,${day - 1}/${at.getUTCHours()},${(day + 100) % 365}/0`;
}

/** Has connections begin in a zone of the database's own, or of the server's where it is null. PGlite has one connection. */
async function setZone(zone: string | null): Promise<void> {
  const set = zone === null ? 'reset timezone' : `set timezone to '${zone}'`;
  const isServer = inject('testDatabase').kind === 'postgres';
  await t.sql(
    isServer
      ? `do $$ begin execute format('alter database %I ', current_database()) || '${set.replaceAll("'", "''")}'; end $$`
      : set,
  );
}

/** The database as a process sees it that starts in a zone. */
async function inZone(zone: string): Promise<Database> {
  await setZone(zone);
  return openTestDatabase(t.testDatabase);
}

/** Lets so many seconds pass for the recipients of the account. */
const age = (seconds: number) => letPass(t.sql, account.accountId, seconds);

/** Has it be sent an OTP these many seconds ago each, with no cooldown left. */
async function sentAgo(recipient: string, ...secondsAgo: readonly number[]): Promise<void> {
  await t.sql(
    `insert into otp_recipients (account_id, recipient, wrongs, sends, cooldowns, updated_at)
     select $1, $2, '{}', array(select now() - make_interval(secs => s) from unnest($3::float8[]) s order by s desc), '{}', now()`,
    [toUuid(account.accountId), recipient, secondsAgo],
  );
}

async function sendsOf(recipient: string): Promise<number> {
  const [row] = await t.sql<{ n: number }>(
    'select cardinality(sends) as n from otp_recipients where account_id = $1 and recipient = $2',
    [toUuid(account.accountId), recipient],
  );
  return row?.n ?? 0;
}

async function databaseMs(): Promise<number> {
  const [row] = await t.sql<{ ms: number }>('select extract(epoch from clock_timestamp())::float8 * 1000 as ms');
  return row?.ms ?? Number.NaN;
}

/** A number of seconds that began to run a moment ago. */
const about = (seconds: number) => expect.toSatisfy((value: number) => value <= seconds && value > seconds - 20);

async function sent(recipient: string, by: Ctx = ctx()): Promise<ToldOfSend> {
  const answer = await trySend(by, recipient);
  expect(answer.code).toBe('sent');
  return answer;
}

describe('the cooldown of a recipient', () => {
  test('refuses the second send, and says how long', async () => {
    const recipient = newRecipient();
    await sent(recipient);
    expect(await trySend(ctx(), recipient)).toMatchObject({ code: 'otp_cooldown', retryAfter: about(60) });
  });

  test('still holds near its end', async () => {
    const recipient = newRecipient();
    await sent(recipient);
    await age(40);
    expect(await trySend(ctx(), recipient)).toMatchObject({ code: 'otp_cooldown', retryAfter: about(20) });
  });

  test('is over after its time', async () => {
    const recipient = newRecipient();
    await sent(recipient);
    await age(61);
    await sent(recipient);
  });

  test('begins anew when the code is sent again', async () => {
    const recipient = newRecipient();
    const { otp } = await sent(recipient);
    await age(61);
    await t.sql('update otps set resend_available_at = now() where recipient = $1', [recipient]);
    expect(await tryResend(ctx(), otp?.id ?? '')).toMatchObject({ code: 'sent' });
    expect(await trySend(ctx(), recipient)).toMatchObject({ code: 'otp_cooldown', retryAfter: about(60) });
  });

  test('is not made longer by asking', async () => {
    const recipient = newRecipient();
    await sent(recipient);
    const before = await t.sql('select * from otp_recipients where recipient = $1', [recipient]);
    for (let tries = 0; tries < 5; tries++) await trySend(ctx(), recipient);
    expect(await t.sql('select * from otp_recipients where recipient = $1', [recipient])).toEqual(before);
  });

  test('of one area does not hold the other back', async () => {
    const recipient = newRecipient();
    await sent(recipient);
    await sent(recipient, ctx({}, 'otp'));
    // Nor does it end the code of the other.
    expect(await t.sql('select status from otps where recipient = $1', [recipient])).toEqual([
      { status: 'sent' },
      { status: 'sent' },
    ]);
  });

  test('of one account does not hold another back', async () => {
    const recipient = newRecipient();
    await sent(recipient);
    const stranger = await makeAccount(t.services);
    await sent(recipient, t.ctxFor(stranger.actor('unified')));
  });

  test('is what the account has set', async () => {
    const recipient = newRecipient();
    await sent(recipient, ctx({ cooldownSeconds: 600 }));
    await age(61);
    expect(await trySend(ctx({ cooldownSeconds: 600 }), recipient)).toMatchObject({
      code: 'otp_cooldown',
      retryAfter: about(539),
    });
  });

  test('that the account has shortened holds for codes from before too', async () => {
    const recipient = newRecipient();
    await sent(recipient);
    await age(20);
    const shorter = ctx({ cooldownSeconds: 50 });
    expect(await trySend(shorter, recipient)).toMatchObject({ code: 'otp_cooldown', retryAfter: about(30) });
    await age(31);
    await sent(recipient, shorter);
    await sent(recipient, ctx({ cooldownSeconds: 0 }));
  });

  test('that the account has shortened is not taken for the limit of an hour', async () => {
    const recipient = newRecipient();
    await sent(recipient);
    const settings = { cooldownSeconds: 0, sendsPerHour: 1 };
    expect(await trySend(ctx(settings), recipient)).toMatchObject({ code: 'rate_limited', retryAfter: about(HOUR) });
    expect(await trySend(ctx(settings, 'otp'), recipient)).toMatchObject({ code: 'rate_limited' });
  });

  test('ends with a send that failed', async () => {
    const recipient = newRecipient();
    outcome = () => ({ kind: 'rejected', code: 'refused', message: 'Refused.' });
    expect(await trySend(ctx(), recipient)).toMatchObject({ code: 'failed' });
    outcome = acceptedOutcome;
    await sent(recipient);
  });

  test('goes on after a send whose outcome nobody knows', async () => {
    const recipient = newRecipient();
    outcome = () => ({ kind: 'unknown', code: 'timeout', message: 'No answer.' });
    await sent(recipient);
    expect(await trySend(ctx(), recipient)).toMatchObject({ code: 'otp_cooldown' });
  });

  test('holds against 1,000 sends at the same time over two processes: one goes out', async () => {
    const recipient = newRecipient();
    const answers = await Promise.all(ctxs({}).map(each => trySend(each, recipient)));
    expect(tally(answers)).toEqual({ sent: 1, otp_cooldown: CALLS - 1 });
    expect(arrivals).toHaveLength(1);
  });
});

describe('sends to a recipient', () => {
  test('are five in an hour', async () => {
    const recipient = newRecipient();
    for (let sends = 0; sends < 5; sends++) {
      await sent(recipient);
      await age(61);
    }
    expect(await trySend(ctx(), recipient)).toMatchObject({ code: 'rate_limited', retryAfter: about(HOUR - 5 * 61) });
  });

  test('are ten in a day', async () => {
    const recipient = newRecipient();
    await sentAgo(recipient, ...Array.from({ length: 10 }, (_, index) => (index + 2) * HOUR));
    expect(await trySend(ctx(), recipient)).toMatchObject({ code: 'rate_limited', retryAfter: about(13 * HOUR) });
  });

  test('wait for the later of the two windows', async () => {
    const recipient = newRecipient();
    await sentAgo(recipient, 60, 120, 180, 240, 300, ...Array.from({ length: 5 }, () => 10 * HOUR));
    expect(await trySend(ctx(), recipient)).toMatchObject({ code: 'rate_limited', retryAfter: about(14 * HOUR) });
  });

  test.each([
    ['the oldest of five is nearly an hour old', [100, 200, 300, 400, HOUR - 30], 'rate_limited'],
    ['the oldest of five is an hour old', [100, 200, 300, 400, HOUR + 1], 'sent'],
    ['the oldest of ten is nearly a day old', [...Array(9).fill(2 * HOUR), DAY - 30], 'rate_limited'],
    ['the oldest of ten is a day old', [...Array(9).fill(2 * HOUR), DAY + 1], 'sent'],
  ])('slide with the time: %s', async (_when, secondsAgo, code) => {
    const recipient = newRecipient();
    await sentAgo(recipient, ...secondsAgo);
    expect(await trySend(ctx(), recipient)).toMatchObject({ code });
  });

  test('of both areas count together', async () => {
    const recipient = newRecipient();
    await sentAgo(recipient, 100, 200, 300, 400);
    await sent(recipient);
    expect(await trySend(ctx({}, 'otp'), recipient)).toMatchObject({ code: 'rate_limited' });
  });

  test('that failed count', async () => {
    const recipient = newRecipient();
    outcome = () => ({ kind: 'rejected', code: 'refused', message: 'Refused.' });
    const answers = [];
    for (let tries = 0; tries < 7; tries++) answers.push(await trySend(ctx(), recipient));
    expect(tally(answers)).toEqual({ failed: 5, rate_limited: 2 });
  });

  test('that were refused do not count, and leave no row', async () => {
    const recipient = newRecipient();
    await sent(recipient);
    for (let tries = 0; tries < 10; tries++) await trySend(ctx(), recipient);
    expect(await sendsOf(recipient)).toBe(1);
    expect(await t.sql('select id from otps where recipient = $1', [recipient])).toHaveLength(1);
    expect(arrivals).toHaveLength(1);
  });

  test('that no credits pay for are refused alone, beside others to the same recipient', async () => {
    const poor = await makeAccount(t.services, { credits: 0 });
    const [by, recipient] = [createTestCtx(t.services, poor.actor('unified')), newRecipient()];
    const byChat = { to: `+${recipient}`, channels: ['chat_qr' as const], chatFrom: '15550000001' };
    const [bySms, chat] = await Promise.all([trySend(by, recipient), sendOtp(by, byChat)]);
    expect([bySms.code, chat.status]).toEqual(['insufficient_balance', 'sent']);
  });

  test('that no credits pay for are refused together, not one after another', async () => {
    const poor = await makeAccount(t.services, { credits: 0 });
    const recipient = newRecipient();
    const { prepared } = t.database;
    let issues = 0;
    const sql = (): Sql => ({
      executeQuery(query) {
        if (query.sql.includes('insert into otp_recipients')) issues += 1;
        return prepared.sql().executeQuery(query);
      },
    });
    const database = { ...t.database, prepared: { ...prepared, sql } };
    const by = createTestCtx({ ...t.services, database }, poor.actor('unified'));
    const answers = await Promise.all(Array.from({ length: 20 }, () => trySend(by, recipient)));
    expect([tally(answers), issues]).toEqual([{ insufficient_balance: 20 }, 1]);
  });

  test('that no credits pay for leave the code of one before them good', async () => {
    const poor = await makeAccount(t.services, { credits: 0 });
    const holder = () => createTestCtx(t.services, poor.actor('unified'));
    const [to = ''] = MAGIC_RECIPIENTS;
    const chat = sendOtp(holder(), { to, channels: ['chat_qr'], chatFrom: '15550000001' });
    const sms = sendOtp(holder(), { to });
    await expect(sms).rejects.toMatchObject({ code: 'insufficient_balance' });
    const { id } = await chat;
    const kept = await t.sql('select status from otps where account_id = $1', [toUuid(poor.accountId)]);
    expect(kept).toEqual([{ status: 'sent' }]);
    const code = /\d{6}/.exec(arrivals[0]?.text ?? '')?.[0] ?? '';
    await expect(verifyOtp(holder(), { pinId: id, pin: code })).resolves.toMatchObject({ status: 'verified' });
  });

  test('at once to a number of the sandbox leave the code of the last alone good', async () => {
    const own = await makeAccount(t.services);
    const [to = ''] = MAGIC_RECIPIENTS;
    const sends = Array.from({ length: 3 }, () => sendOtp(createTestCtx(t.services, own.actor('unified')), { to }));
    const ids = (await Promise.all(sends)).map(otp => toUuid(otp.id));
    const kept = await t.sql<{ status: string }>(
      'select status from otps where account_id = $1 order by array_position($2::uuid[], id)',
      [toUuid(own.accountId), ids],
    );
    expect(kept.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'sent']);
  });

  test('that no credits pay for do not count beside one to another recipient', async () => {
    const poor = await makeAccount(t.services, { credits: 0 });
    const [by, unpaid] = [createTestCtx(t.services, poor.actor('unified')), newRecipient()];
    const byChat = { to: `+${newRecipient()}`, channels: ['chat_qr' as const], chatFrom: '15550000001' };
    await Promise.all([trySend(by, unpaid), sendOtp(by, byChat)]);
    expect(await t.sql('select from otp_recipients where recipient = $1', [unpaid])).toEqual([]);
  });

  test('whose cooldown is just over when the refusal is explained are told the cooldown', async () => {
    const recipient = newRecipient();
    await sentAgo(recipient, 61);
    const otp = { accountId: account.accountId, area: 'unified', recipient };
    const item = { otp, settings: account.grant.otp, isExempt: false } as IssueItem;
    const explained = await explainRefusals(t.services.database.sql(), [item]);
    expect(explained.get(item)).toMatchObject({ code: 'otp_cooldown', details: { retryAfter: 1 } });
  });

  test('that were sent again count', async () => {
    const recipient = newRecipient();
    const settings = { sendsPerHour: 2 };
    const { otp } = await sent(recipient, ctx(settings));
    await t.sql('update otps set resend_available_at = now() where recipient = $1', [recipient]);
    expect(await tryResend(ctx(settings), otp?.id ?? '')).toMatchObject({ code: 'sent' });
    await age(61);
    expect(await trySend(ctx(settings), recipient)).toMatchObject({ code: 'rate_limited' });
  });

  test('that were sent again count for no other recipient', async () => {
    const [recipient, another] = [newRecipient(), newRecipient()];
    const { otp } = await sent(recipient);
    await sent(another);
    await t.sql('update otps set resend_available_at = now() where recipient = $1', [recipient]);
    expect(await tryResend(ctx(), otp?.id ?? '')).toMatchObject({ code: 'sent' });
    expect([await sendsOf(recipient), await sendsOf(another)]).toEqual([2, 1]);
  });

  test('that are a day old are forgotten when one is sent again', async () => {
    const recipient = newRecipient();
    const { pinId } = await makePin(t.sql, { accountId: account.accountId, recipient });
    await t.sql(`update otp_recipients set sends = array[now() - interval '25 hours'] where recipient = $1`, [
      recipient,
    ]);
    expect(await tryResend(ctx(), pinId)).toMatchObject({ code: 'sent' });
    expect(await sendsOf(recipient)).toBe(1);
  });

  test('leave no room for one that is sent again', async () => {
    const recipient = newRecipient();
    const { otp } = await sent(recipient);
    await t.sql('update otps set resend_available_at = now() where recipient = $1', [recipient]);
    expect(await tryResend(ctx({ sendsPerHour: 1 }), otp?.id ?? '')).toMatchObject({ code: 'rate_limited' });
    expect(arrivals).toHaveLength(1);
  });

  test('again, many times at once over two processes: one goes out', async () => {
    const { pinId } = await makePin(t.sql, { accountId: account.accountId, recipient: await knownRecipient() });
    // A resend joins no group, so the one connection of PGlite runs them one by one. Resends behind seven seconds of others are too late.
    const calls = inject('testDatabase').kind === 'pglite' ? 50 : CALLS;
    const answers = await Promise.all(
      ctxs({})
        .slice(0, calls)
        .map(each => tryResend(each, pinId)),
    );
    expect(tally(answers).sent).toBe(1);
    expect(arrivals).toHaveLength(1);
  });

  test.each([
    ['an hour', { sendsPerHour: 2 }],
    ['a day', { sendsPerDay: 2 }],
  ])('are what the account has set for %s', async (_window, settings) => {
    const recipient = newRecipient();
    const answers = [];
    for (let tries = 0; tries < 4; tries++) {
      answers.push(await trySend(ctx(settings), recipient));
      await age(61);
    }
    expect(tally(answers)).toEqual({ sent: 2, rate_limited: 2 });
  });

  test('a day are those of 24 hours, where the clock of its zone went forward in them', async () => {
    const [early, late, resent] = [newRecipient(), newRecipient(), newRecipient()];
    await sentAgo(early, 23.5 * HOUR);
    await sentAgo(late, 24.5 * HOUR);
    const { pinId } = await makePin(t.sql, { accountId: account.accountId, recipient: resent });
    await t.sql(`update otp_recipients set sends = array[now() - interval '23.5 hours'] where recipient = $1`, [
      resent,
    ]);
    const database = await inZone(zoneForwardAgo(12));
    try {
      const there = ctx({ sendsPerDay: 1 }, 'unified', { ...t.services, database });
      expect(await trySend(there, early)).toMatchObject({ code: 'rate_limited', retryAfter: about(HOUR / 2) });
      expect(await trySend(there, late)).toMatchObject({ code: 'sent' });
      expect(await tryResend(there, pinId)).toMatchObject({ code: 'rate_limited', retryAfter: about(HOUR / 2) });
    } finally {
      await database.close();
      await setZone(null);
    }
  });

  test('of another account count apart', async () => {
    const recipient = newRecipient();
    await sentAgo(recipient, 100, 200, 300, 400, 500);
    const stranger = await makeAccount(t.services);
    await sent(recipient, t.ctxFor(stranger.actor('unified')));
  });

  test('are five, of 1,000 at the same time without a cooldown, over two processes', async () => {
    const recipient = newRecipient();
    const answers = await Promise.all(ctxs({ cooldownSeconds: 0 }).map(each => trySend(each, recipient)));
    expect(tally(answers)).toEqual({ sent: 5, rate_limited: CALLS - 5 });
    expect(arrivals).toHaveLength(5);
    expect(await sendsOf(recipient)).toBe(5);
    for (const { code, retryAfter } of answers) if (code !== 'sent') expect(retryAfter).toEqual(about(HOUR));
  });

  test.each(MAGIC_RECIPIENTS)('have neither cooldown nor limit where it is the number %s', async recipient => {
    const answers = [];
    for (let sends = 0; sends < 12; sends++) answers.push(await trySend(ctx(), recipient));
    expect(tally(answers)).toEqual({ sent: 12 });
  });

  test('have both where it is the number after the nine', async () => {
    await sent('12025550109');
    expect(await trySend(ctx(), '12025550109')).toMatchObject({ code: 'otp_cooldown' });
  });
});

/** A recipient that may be sent to, and was. */
async function knownRecipient(): Promise<string> {
  const recipient = newRecipient();
  await sentAgo(recipient, 100);
  return recipient;
}

describe.each([-HOUR, HOUR])("a process whose clock is %i s off the database's", offset => {
  beforeEach(() => t.clock.set(new Date(Date.now() + offset * 1_000)));

  /** As `ctx`, at the clock of this process. */
  const skewed = () => t.ctxFor(holderWith(account, {}));

  test('ends a code by the clock of the database', async () => {
    const { otp } = await sent(newRecipient(), skewed());
    const nowMs = await databaseMs();
    expect((otp?.createdAt.getTime() ?? 0) - nowMs).toBeGreaterThan(-20_000);
    expect((otp?.createdAt.getTime() ?? 0) - nowMs).toBeLessThanOrEqual(0);
    expect((otp?.expiresAt.getTime() ?? 0) - (otp?.createdAt.getTime() ?? 0)).toBe(300_000);
    expect((otp?.resendAvailableAt.getTime() ?? 0) - (otp?.createdAt.getTime() ?? 0)).toBe(60_000);
  });

  test('keeps the cooldown', async () => {
    const recipient = newRecipient();
    await sent(recipient, skewed());
    expect(await trySend(skewed(), recipient)).toMatchObject({ code: 'otp_cooldown', retryAfter: about(60) });
    await age(61);
    await sent(recipient, skewed());
  });

  test('keeps the limit of an hour', async () => {
    const recipient = newRecipient();
    await sentAgo(recipient, 100, 200, 300, 400, HOUR - 30);
    expect(await trySend(skewed(), recipient)).toMatchObject({ code: 'rate_limited', retryAfter: about(30) });
    await age(31);
    await sent(recipient, skewed());
  });

  test('sends again when the database says so', async () => {
    const { otp } = await sent(newRecipient(), skewed());
    const pinId = otp?.id ?? '';
    expect(await tryResend(skewed(), pinId)).toMatchObject({ code: 'otp_cooldown', retryAfter: about(60) });
    await t.sql('update otps set resend_available_at = now() where id = $1', [toUuid(pinId)]);
    expect(await tryResend(skewed(), pinId)).toMatchObject({ code: 'sent' });
  });

  test.each([
    ['goes on with a code that is live', 300, 1],
    ['goes no further with a code that is over', -600, 0],
  ])('%s, where another process died over it', async (_what, endsInSeconds, sms) => {
    const { pinId } = await makePin(t.sql, { accountId: account.accountId });
    await leaveRouting(pinId, endsInSeconds);
    expect(await recoverSends(t.ctxFor(OPERATOR), OTP)).toBe(1);
    expect(arrivals.map(({ channel }) => channel)).toEqual(Array.from({ length: sms }, () => 'sms'));
  });
});

/** A pin whose process died while it asked the first of two channels. */
async function leaveRouting(pinId: string, endsInSeconds: number): Promise<void> {
  await t.sql(
    `update otps set status = 'pending', channel = null, channels = '{chat_qr,sms}', chat_from = '15550000001',
       lease_until = now() - interval '1 second', expires_at = now() + make_interval(secs => $2),
       under_way = json_build_array(json_build_array($3::text, 'chat_qr', 'scripted', null, floor(extract(epoch from created_at) * 1000)::bigint))::text
     where id = $1`,
    [toUuid(pinId), endsInSeconds, toUuid(newId('att'))],
  );
}
