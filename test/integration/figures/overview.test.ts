import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { CHANNELS } from '../../../src/kernel/channel.ts';
import { AppError } from '../../../src/kernel/errors.ts';
import { toUuid, uuidFloor } from '../../../src/kernel/ids.ts';
import type { Status } from '../../../src/kernel/status.ts';
import { createConnection } from '../../../src/modules/connections/manage-connections.ts';
import { OVERVIEW_RANGES } from '../../../src/modules/figures/overview.input.ts';
import { type Overview, overview } from '../../../src/modules/figures/overview.ts';
import { rollUpLog } from '../../../src/modules/figures/roll-up.ts';
import { routeFigures } from '../../../src/modules/figures/route-figures.ts';
import { summarizeOtps } from '../../../src/modules/otp/reports/summarize-otps.ts';
import { Attempt, type ChannelAttempt } from '../../../src/modules/routing/attempt.entity.ts';
import { recordReceipts } from '../../../src/modules/routing/receipts/record-receipts.ts';
import { healOvertaken } from '../../../src/modules/routing/recovery/heal-overtaken.ts';
import { createTestApp } from '../../support/app.ts';
import { explainVerb, nodesOf } from '../../support/databases/explain.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { makeAttempt, makeMessage } from '../../support/logs/log-rows.ts';
import { newPinId } from '../../support/otp/rows.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { makeAccount, OPERATOR, type TestAccount } from '../../support/services.ts';
import { makeDelivery } from '../../support/webhooks/delivery-rows.ts';
import { makeEndpoint } from '../../support/webhooks/stored-webhooks.ts';

const on = setUpServices();
let account: TestAccount;

beforeEach(async () => {
  account = await makeAccount(on);
  // As before the first run of the job: each test stores entries of hours that another may have counted.
  await on.sql(`update log_roll_up set until = '00000000-0000-0000-0000-000000000000'`);
  for (const table of ['log_counts', 'log_latencies', 'log_otp_counts']) await on.sql(`delete from ${table}`);
});

const HOUR = 3_600_000;
const ago = (ms: number): Date => new Date(on.clock.now().getTime() - ms);

async function store(rows: readonly Attempt[]): Promise<void> {
  await on.database
    .fork()
    .persist([...rows])
    .flush();
}

const read = (range: (typeof OVERVIEW_RANGES)[number] = 'day') =>
  overview(on.ctxFor(account.actor('management')), { range });

/** The figures of a time, counted over the entries themselves. */
async function naive(from: Date, to: Date) {
  const entries = await on.database.fork().find(Attempt, {
    accountId: account.accountId,
    type: { $in: ['message_attempt', 'otp_attempt'] },
    startedAt: { $gte: from, $lt: to },
  });
  const count = (...statuses: Status[]) =>
    entries.filter(({ status }) => (statuses as string[]).includes(status)).length;
  return {
    attempts: entries.length,
    accepted: count('sent', 'delivered', 'read'),
    delivered: count('delivered', 'read'),
    failed: count('failed', 'expired'),
    unknown: count('unknown'),
    credits: entries.reduce((total, { credits }) => total + credits, 0),
  };
}

async function checkAgainstLog(shown: Overview): Promise<void> {
  const lengthMs = shown.from.getTime() - shown.previousFrom.getTime();
  const previousTo = new Date(shown.to.getTime() - lengthMs);
  expect(shown.totals).toMatchObject(await naive(shown.from, shown.to));
  expect(shown.previousTotals).toMatchObject(await naive(shown.previousFrom, previousTo));
  const [otps] = await summarizeOtps(on.ctxFor(account.actor('management')), {
    from: shown.from,
    to: shown.to,
    by: [],
  });
  expect(shown.otps).toMatchObject({ sent: otps?.sent ?? 0, verified: otps?.verified ?? 0 });
}

/** Attempts of a message or an OTP in the last 20 days, some with an outcome. Each has the receipt that comes when it is old. */
const entry = fc.record({
  ageMs: fc.oneof(
    fc.integer({ min: 1_000, max: 3 * HOUR }),
    // Around what is old enough to be counted.
    fc.integer({ min: 60_000, max: 600_000 }),
    fc.integer({ min: 3 * HOUR, max: 20 * 24 * HOUR }),
  ),
  isOtp: fc.boolean(),
  isVerified: fc.boolean(),
  channel: fc.constantFrom(...CHANNELS),
  status: fc.constantFrom<Status>('sent', 'failed', 'unknown', 'delivered'),
  tookMs: fc.integer({ min: 0, max: 20_000 }),
  receipt: fc.constantFrom(null, 'delivered' as const, 'failed' as const, 'read' as const),
});

describe('the overview', () => {
  test('says what the log says, before and after the job, and when late receipts come', async () => {
    await assertProperty(
      fc.asyncProperty(
        fc.array(entry, { minLength: 10, maxLength: 25 }),
        fc.constantFrom(...OVERVIEW_RANGES),
        async (entries, range) => {
          account = await makeAccount(on);
          await on.sql(`update log_roll_up set until = '00000000-0000-0000-0000-000000000000'`);
          const receipts: Parameters<typeof recordReceipts>[1][number][] = [];
          const rows = entries.flatMap(({ ageMs, isOtp, isVerified, channel, status, tookMs, receipt }, index) => {
            const startedAt = ago(ageMs);
            const pinId = isOtp ? newPinId() : null;
            const providerMessageId = `${account.accountId}-${index}`;
            const attempt = makeAttempt(account.accountId, {
              type: isOtp ? 'otp_attempt' : 'message_attempt',
              ...(isOtp ? { messageId: null, pinId, country: 'US' } : {}),
              channel,
              status,
              errorCode: status === 'failed' || status === 'unknown' ? 'timeout' : null,
              credits: 0,
              startedAt,
              finishedAt: new Date(startedAt.getTime() + tookMs),
              providerMessageId,
            });
            if (receipt)
              receipts.push({
                provider: 'sandbox',
                providerMessageId,
                status: receipt,
                errorCode: null,
                errorMessage: null,
              });
            const verifiedAt = new Date(Math.min(startedAt.getTime() + 60_000, on.clock.now().getTime() - 1));
            const outcome = makeAttempt(account.accountId, { startedAt: verifiedAt });
            Object.assign(outcome, {
              type: 'otp_verified',
              status: 'verified',
              messageId: null,
              pinId,
              channel,
              credits: 0,
              startedAt,
            });
            return isOtp && isVerified ? [attempt, outcome] : [attempt];
          });
          await store(rows);
          await checkAgainstLog(await read(range));
          // In small steps, that end within an hour.
          await rollUpLog(on.database, 60);
          await checkAgainstLog(await read(range));
          await recordReceipts(on.ctxFor(OPERATOR), receipts);
          await checkAgainstLog(await read(range));
          await rollUpLog(on.database);
          await checkAgainstLog(await read(range));
          // Again, of what was counted as raised: with the job after it, and before it.
          await recordReceipts(
            on.ctxFor(OPERATOR),
            receipts.map(receipt => ({ ...receipt, status: 'delivered' as const })),
          );
          await checkAgainstLog(await read(range));
          await recordReceipts(
            on.ctxFor(OPERATOR),
            receipts.map(receipt => ({ ...receipt, status: 'read' as const })),
          );
          await checkAgainstLog(await read(range));
          await rollUpLog(on.database);
          await checkAgainstLog(await read(range));
          const left = 'select from late_attempts where attempt_id < (select until from log_roll_up)';
          expect(await on.sql(left)).toEqual([]);
        },
      ),
      { numRuns: rounds({ usual: 1, long: 20 }) },
    );
  });

  test.each(['sent', 'failed'] as const)(
    'counts an attempt that was unknown as %s once that is known, and then as delivered',
    async status => {
      account = await makeAccount(on, { credits: 10 });
      const startedAt = ago(10 * 60_000);
      const message = makeMessage(account.accountId, { createdAt: startedAt, status: 'unknown' });
      const attempt = makeAttempt(account.accountId, {
        messageId: message.id,
        startedAt,
        status: 'unknown',
        errorCode: 'timeout',
        credits: 0,
      });
      await on.database.fork().persist(message).flush();
      await store([attempt]);
      await rollUpLog(on.database);
      const providerMessageId = `${account.accountId}-raised`;
      const known = { ...attempt, status, errorCode: null, credits: 1, providerMessageId } as ChannelAttempt;
      await healOvertaken.messages(on.database)({ send: message, known: [known] });
      await checkAgainstLog(await read());
      const receipt = { provider: 'sandbox', providerMessageId, errorCode: null, errorMessage: null };
      await recordReceipts(on.ctxFor(OPERATOR), [{ ...receipt, status: 'delivered' }]);
      const counted = await read();
      expect(counted.totals).toMatchObject({ attempts: 1, unknown: 0, failed: 0, delivered: 1 });
      await checkAgainstLog(counted);
      await rollUpLog(on.database);
      await checkAgainstLog(await read());
    },
  );

  test('counts an OTP in the hour that it was first tried in, though it is resent and verified after that was counted', async () => {
    const pinId = newPinId();
    const entryOf = (minutes: number, changes: object) =>
      Object.assign(makeAttempt(account.accountId, { startedAt: ago(minutes * 60_000) }), {
        messageId: null,
        pinId,
        country: 'US',
        credits: 0,
        ...changes,
      });
    await store([entryOf(90, { type: 'otp_attempt', status: 'failed', errorCode: 'no_route' })]);
    await rollUpLog(on.database);
    expect((await read()).otps).toMatchObject({ sent: 0, verified: 0 });
    // As if it had been written after the job had come so far.
    await on.sql(`update log_roll_up set until = $1`, [uuidFloor(ago(60 * 60_000))]);
    await store([
      entryOf(50, { type: 'otp_attempt', status: 'sent' }),
      entryOf(49, { type: 'otp_verified', status: 'verified' }),
    ]);
    expect((await read()).otps).toMatchObject({ sent: 1, verified: 1 });
    await rollUpLog(on.database);
    expect((await read()).otps).toMatchObject({ sent: 1, verified: 1 });
    const hours = await on.sql('select sent, verified from log_otp_counts where account_id = $1', [
      toUuid(account.accountId),
    ]);
    expect(hours).toEqual([{ sent: 1, verified: 1 }]);
  });

  test('does not pass by a send that is under way, whose attempt is stored later', async () => {
    await on.sql(
      'insert into routing_marks (process, oldest, seen_at) values (gen_random_uuid(), $1, clock_timestamp())',
      [uuidFloor(ago(HOUR))],
    );
    try {
      await rollUpLog(on.database);
      await store([makeAttempt(account.accountId, { startedAt: ago(30 * 60_000) })]);
      await on.sql('delete from routing_marks');
      await rollUpLog(on.database);
      expect((await read()).totals.attempts).toBe(1);
    } finally {
      await on.sql('delete from routing_marks');
    }
  });

  test('knows of an OTP that was verified long ago, before the job and after it', async () => {
    expect((await read()).hasVerified).toBe(false);
    const of = { messageId: null, pinId: newPinId(), country: 'US', credits: 0 };
    await store([
      Object.assign(makeAttempt(account.accountId, { startedAt: ago(30 * HOUR) }), { ...of, type: 'otp_attempt' }),
      Object.assign(makeAttempt(account.accountId, { startedAt: ago(29 * HOUR) }), {
        ...of,
        type: 'otp_verified',
        status: 'verified',
      }),
    ]);
    expect((await read()).hasVerified).toBe(true);
    await on.sql('update log_roll_up set until = $1', [uuidFloor(ago(40 * HOUR))]);
    await rollUpLog(on.database);
    expect((await read()).hasVerified).toBe(true);
    await on.sql('delete from attempts where account_id = $1', [toUuid(account.accountId)]);
    expect((await read()).hasVerified).toBe(true);
  });

  test('loses no receipt that comes while the job counts', async () => {
    const rows = Array.from({ length: 60 }, (_, index) =>
      makeAttempt(account.accountId, {
        startedAt: ago((4 + index) * 60_000),
        status: 'sent',
        credits: 0,
        providerMessageId: `${account.accountId}-${index}`,
      }),
    );
    await store(rows);
    // Refused while the database is busy, a receipt is sent again, as a provider does.
    const receive = async (index: number, status: 'delivered' | 'read'): Promise<void> => {
      const receipt = {
        provider: 'sandbox',
        providerMessageId: `${account.accountId}-${index}`,
        status,
        errorCode: null,
        errorMessage: null,
      };
      try {
        await recordReceipts(on.ctxFor(OPERATOR), [receipt]);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'database_unavailable') throw error;
        await receive(index, status);
      }
    };
    // Five at a time, so that the job counts between them.
    for (let first = 0; first < rows.length; first += 5)
      await Promise.all([
        ...rows.slice(first, first + 5).map(async (_, offset) => {
          await receive(first + offset, 'delivered');
          await receive(first + offset, 'read');
        }),
        rollUpLog(on.database),
        rollUpLog(on.database),
      ]);
    await checkAgainstLog(await read());
    await rollUpLog(on.database);
    await checkAgainstLog(await read());
  });

  test('reads what is some minutes old from what was counted of it, and not from the log', async () => {
    await store([makeAttempt(account.accountId, { startedAt: ago(6 * 60_000) })]);
    await rollUpLog(on.database);
    await on.sql('delete from attempts where account_id = $1', [toUuid(account.accountId)]);
    expect((await read()).totals.attempts).toBe(1);
  });

  test('reads hours that are over from what was counted of them, and not from the log', async () => {
    const attempt = makeAttempt(account.accountId, { startedAt: ago(6 * HOUR) });
    await store([attempt]);
    await rollUpLog(on.database);
    await on.sql('delete from attempts where account_id = $1', [toUuid(account.accountId)]);
    expect((await read()).totals.attempts).toBe(1);
  });

  test('counts the time before up to the same moment of it', async () => {
    await store([
      makeAttempt(account.accountId, { startedAt: ago(24 * HOUR + 60_000) }),
      makeAttempt(account.accountId, { startedAt: ago(24 * HOUR - 60_000) }),
    ]);
    await rollUpLog(on.database);
    expect((await read()).previousTotals.attempts).toBe(1);
  });

  test.each(OVERVIEW_RANGES)('tells by the %s how long credits last, at the pace of the last 7 days', async range => {
    await store([
      makeAttempt(account.accountId, { startedAt: ago(HOUR), credits: 4 }),
      makeAttempt(account.accountId, { startedAt: ago(8 * 24 * HOUR), credits: 100 }),
    ]);
    const { creditsLeft, creditsLastDays } = await read(range);
    expect(creditsLeft).toBeGreaterThan(0);
    // The account is younger than a day.
    expect(creditsLastDays).toBe(creditsLeft / 4);
  });

  test('shows failures by code, provider and country, with how many there were before', async () => {
    const failed = { status: 'failed', errorCode: 'no_route', country: 'US', credits: 0 } as const;
    await store([
      makeAttempt(account.accountId, { ...failed, startedAt: ago(HOUR) }),
      makeAttempt(account.accountId, { ...failed, startedAt: ago(5 * HOUR) }),
      makeAttempt(account.accountId, { ...failed, startedAt: ago(30 * HOUR) }),
    ]);
    await rollUpLog(on.database);
    expect((await read()).failures).toEqual([
      { errorCode: 'no_route', channel: 'sms', provider: 'sandbox', country: 'US', attempts: 2, previousAttempts: 1 },
    ]);
  });

  test.each(['day', 'week'] as const)(
    'of a %s reads next to nothing of the log, once its hours are counted',
    async range => {
      const COUNT = 20_000;
      const [spanMs, endMs] = [5 * 24 * HOUR, Date.now() - HOUR];
      await on.sql(
        `insert into attempts (id, account_id, area, type, message_id, channel, provider, recipient, sender, status, segments, started_at, finished_at)
       select (lpad(to_hex($1::bigint - (n * $2::float8)::bigint), 12, '0') || '7000' || '8' || substr(md5(n::text || $3), 1, 15))::uuid, $3::uuid,
         'unified', 'message_attempt', gen_random_uuid(), 'sms', 'sandbox', '12025550100', 'ACME', 'sent', 1, at, at + interval '10 ms'
       from generate_series(1, $4::int) n, to_timestamp(($1::bigint - (n * $2::float8)::bigint) / 1000.0) at`,
        [endMs, spanMs / COUNT, toUuid(account.accountId), COUNT],
      );
      await rollUpLog(on.database);
      for (const table of ['attempts', 'log_counts', 'log_latencies']) await on.sql(`vacuum analyze ${table}`);
      const plans = await explainVerb(on, account.actor('management'), ctx => overview(ctx, { range }));
      const scans = plans.flatMap(nodesOf).filter(node => node['Relation Name']?.startsWith('attempts'));
      const read = scans.filter(node => node['Actual Rows'] > 0);
      expect(read.map(node => node['Node Type'])).not.toContain('Seq Scan');
      // Rows not counted yet, and rest hours at both ends, each read by up to three statements.
      const rows = read.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
      expect(rows).toBeLessThan(COUNT / 4);
    },
  );

  test('tells latencies at most 5 % off', async () => {
    const rows = Array.from({ length: 100 }, (_, index) => {
      const startedAt = ago(5 * HOUR);
      return makeAttempt(account.accountId, {
        startedAt,
        finishedAt: new Date(startedAt.getTime() + (index + 1) * 10),
      });
    });
    await store(rows);
    await rollUpLog(on.database);
    const [latency] = (await read()).latencies;
    expect(Math.abs((latency?.medianMs ?? 0) - 500)).toBeLessThanOrEqual(26);
    expect(Math.abs((latency?.p95Ms ?? 0) - 950)).toBeLessThanOrEqual(48);
  });

  test('tells what needs a look, newest first, and takes what is mended away', async () => {
    const ctx = on.ctxFor(OPERATOR);
    const { endpointId } = await makeEndpoint(on, account.accountId, { url: 'https://hooks.example:8443/secret' });
    const down = await createConnection(ctx, {
      accountId: account.accountId,
      provider: 'http-sms',
      channel: 'sms',
      name: 'Main',
      config: { request: { url: 'http://127.0.0.1:9/send' } },
    });
    const since = (minutes: number) => `clock_timestamp() - interval '${minutes} minutes'`;
    await on.sql(
      `update webhook_endpoints set status = 'disabled', disabled_reason = 'gone', disabled_at = ${since(1)} where id = $1`,
      [toUuid(endpointId)],
    );
    await on.sql(
      `update connections set health = 'down', health_error = 'Nothing listens.', health_since = ${since(2)} where id = $1`,
      [toUuid(down.id)],
    );
    await on.sql('update accounts set low_balance_threshold = credits + 1 where id = $1', [toUuid(account.accountId)]);
    const none = { subject: null, name: null, reason: null, count: null };
    const at = expect.any(Date);
    expect((await read()).notices).toEqual([
      { ...none, kind: 'balance_low', at },
      { ...none, kind: 'endpoint_disabled', at, subject: endpointId, name: 'hooks.example:8443', reason: 'gone' },
      { ...none, kind: 'connection_down', at, subject: down.id, name: 'Main', reason: 'Nothing listens.' },
    ]);
    await on.sql(`update webhook_endpoints set status = 'enabled', disabled_at = null where id = $1`, [
      toUuid(endpointId),
    ]);
    await on.sql(`update connections set is_paused = true where id = $1`, [toUuid(down.id)]);
    await on.sql('update accounts set low_balance_threshold = null where id = $1', [toUuid(account.accountId)]);
    expect((await read()).notices).toEqual([]);
  });

  test('tells of a shared connection that the account sends by, but neither why it is down nor where its page is', async () => {
    const ctx = on.ctxFor(OPERATOR);
    const config = { request: { url: 'http://127.0.0.1:9/send' } };
    const input = { provider: 'http-sms', channel: 'sms', config } as const;
    const shared = await createConnection(ctx, { ...input, name: 'House carrier' });
    onTestFinished(async () => {
      await on.sql('update connections set removed_at = now() where id = $1', [toUuid(shared.id)]);
    });
    await on.sql(
      `update connections set health = 'down', health_error = 'smsc.house refused it.', health_since = now() where id = $1`,
      [toUuid(shared.id)],
    );
    await on.sql(
      'insert into connection_quotas (connection_id, quality, used, read_at, low_since) values ($1, $2, 1, now(), now())',
      [toUuid(shared.id), 'red'],
    );
    await on.sql(
      `insert into chat_sessions (connection_id, state, state_since, locked_since) values ($1, 'linked', now(), now())`,
      [toUuid(shared.id)],
    );
    const of = { subject: null, name: 'House carrier', count: null, at: expect.any(Date) };
    const { notices } = await read();
    expect(notices).toHaveLength(3);
    expect(notices).toEqual(
      expect.arrayContaining([
        { ...of, kind: 'connection_down', reason: null },
        { ...of, kind: 'quota_low', reason: 'quality' },
        { ...of, kind: 'number_locked', reason: null },
      ]),
    );
    // A number that is not linked sends nothing, whatever its lock.
    await on.sql(`update chat_sessions set state = 'unlinked' where connection_id = $1`, [toUuid(shared.id)]);
    expect((await read()).notices.map(({ kind }) => kind)).not.toContain('number_locked');
    // With one of its own the shared ones are not asked for it.
    await createConnection(ctx, { ...input, accountId: account.accountId, name: 'Main' });
    expect((await read()).notices).toEqual([]);
  });

  test('tells why a connection is down to those alone who may read connections', async () => {
    const app = await createTestApp();
    try {
      const { accountId, tokens } = await app.customer();
      const config = { request: { url: 'http://127.0.0.1:9/send' } };
      const input = { accountId, provider: 'http-sms', channel: 'sms', name: 'Main', config } as const;
      const { id } = await createConnection(app.app.makeCtx(OPERATOR, 'test'), input);
      await app.sql(
        `update connections set health = 'down', health_error = 'Nothing listens.', health_since = now() where id = $1`,
        [toUuid(id)],
      );
      const reasonFor = async (token: string) => {
        const { data } = await app.graphql('{ overview { notices { kind reason } } }', { token });
        return data;
      };
      const noticed = (reason: string | null) => ({ overview: { notices: [{ kind: 'CONNECTION_DOWN', reason }] } });
      expect(await reasonFor(tokens.management)).toEqual(noticed('Nothing listens.'));
      expect(await reasonFor(tokens.unified)).toEqual(noticed(null));
    } finally {
      await app.close();
    }
  });

  describe('of an endpoint that fails', () => {
    const failing = (url: string, columns = '') =>
      makeEndpoint(on, account.accountId, { url }).then(async ({ endpointId }) => {
        const change = `update webhook_endpoints set failing_since = now(), failures = 1${columns} where id = $1`;
        await on.sql(change, [toUuid(endpointId)]);
        return endpointId;
      });
    const notices = async () => (await read()).notices;

    test('tells from the first failed try, with how many deliveries wait, and no more once it answered', async () => {
      const endpointId = await failing('https://hooks.example/secret');
      const waiting = { status: 'pending', tries: 1, httpStatus: 500, error: 'bad_status', finishedAt: null } as const;
      const of = { accountId: account.accountId, endpointId };
      await on.database
        .fork()
        .persist([makeDelivery(of), ...[1, 2].map(() => makeDelivery(of, { ...waiting, nextTryAt: new Date() }))])
        .flush();
      expect(await notices()).toEqual([
        {
          kind: 'endpoint_failing',
          at: expect.any(Date),
          subject: endpointId,
          name: 'hooks.example',
          reason: null,
          count: 2,
        },
      ]);
      await on.sql('update webhook_endpoints set failing_since = null where id = $1', [toUuid(endpointId)]);
      expect(await notices()).toEqual([]);
    });

    test('tells nothing while it is paused', async () => {
      await failing('https://hooks.example/', `, status = 'paused'`);
      expect(await notices()).toEqual([]);
    });

    test('tells those at one host apart, by description or id, and no path of them', async () => {
      const orders = await failing('https://hooks.example/secret', `, description = 'Orders'`);
      const other = await failing('https://hooks.example/hidden');
      expect(new Map((await notices()).map(({ subject, name }) => [subject, name]))).toEqual(
        new Map([
          [orders, 'hooks.example (Orders)'],
          [other, `hooks.example (…${other.slice(-4)})`],
        ]),
      );
    });
  });

  test('tells how often the fraud guard stopped and flagged passcodes, and when last, but not of wrong codes', async () => {
    const outcome = (type: 'otp_blocked' | 'otp_flagged', errorCode: string, startedAt: Date) =>
      Object.assign(makeAttempt(account.accountId, { startedAt }), {
        type,
        status: type === 'otp_blocked' ? 'blocked' : 'sent',
        errorCode,
        messageId: null,
        pinId: newPinId(),
        channel: null,
        provider: null,
        credits: 0,
      });
    const [last, flagged] = [ago(5 * HOUR), ago(8 * HOUR)];
    await store([
      outcome('otp_blocked', 'otp_blocked', ago(HOUR)),
      outcome('otp_blocked', 'rate_limited', ago(5 * HOUR - 10)),
      outcome('otp_blocked', 'country_not_allowed', last),
      outcome('otp_blocked', 'too_many_unverified', ago(7 * HOUR)),
      outcome('otp_blocked', 'too_many_unverified', ago(30 * HOUR)),
      outcome('otp_flagged', 'number_type_refused', flagged),
    ]);
    const expected = [
      { kind: 'guard_stopped', at: last, reason: 'country_not_allowed', count: 2 },
      { kind: 'guard_flagged', at: flagged, reason: 'number_type_refused', count: 1 },
    ].map(notice => ({ subject: null, name: null, ...notice }));
    expect((await read()).notices).toEqual(expected);
    await rollUpLog(on.database);
    expect((await read()).notices).toEqual(expected);
  });

  test('shows nothing of another account', async () => {
    const other = await makeAccount(on);
    await store([makeAttempt(other.accountId, { startedAt: ago(5 * HOUR) })]);
    await rollUpLog(on.database);
    expect((await read()).totals.attempts).toBe(0);
  });
});

describe('what went by connections to countries', () => {
  const routes = async () => routeFigures(on.ctxFor(account.actor('management')), await read());

  test('is counted by both, with what arrived, what failed and how long providers took', async () => {
    const { id: connectionId } = await createConnection(on.ctxFor(OPERATOR), {
      accountId: account.accountId,
      provider: 'http-sms',
      channel: 'sms',
      name: 'Carrier',
      config: { request: { url: 'http://127.0.0.1:9/send' } },
    });
    const startedAt = ago(HOUR);
    const by = (given: object) =>
      makeAttempt(account.accountId, {
        startedAt,
        finishedAt: new Date(startedAt.getTime() + 200),
        provider: 'http-sms',
        connectionId,
        ...given,
      });
    await store([
      by({ country: 'US', status: 'delivered' }),
      by({ country: 'US', status: 'failed', errorCode: 'timeout', credits: 0 }),
      by({ country: 'SE', status: 'sent' }),
      makeAttempt(account.accountId, { startedAt, finishedAt: startedAt, status: 'read' }),
      makeAttempt(account.accountId, { startedAt: ago(30 * HOUR), country: 'DE' }),
      makeAttempt(account.accountId, {
        startedAt,
        provider: null,
        status: 'failed',
        errorCode: 'no_route',
        credits: 0,
      }),
    ]);
    const carrier = { connectionId, connectionName: 'Carrier', channel: 'sms', provider: 'http-sms' };
    expect(await routes()).toEqual([
      { ...carrier, country: 'US', attempts: 2, delivered: 1, failed: 1, p95Ms: 200 },
      { ...carrier, country: 'SE', attempts: 1, delivered: 0, failed: 0, p95Ms: 200 },
      {
        connectionId: null,
        connectionName: null,
        channel: 'sms',
        provider: 'sandbox',
        country: null,
        attempts: 1,
        delivered: 1,
        failed: 0,
        p95Ms: 0,
      },
    ]);
  });

  test('are those of the account alone', async () => {
    const other = await makeAccount(on);
    await store([makeAttempt(other.accountId, { startedAt: ago(HOUR) })]);
    expect(await routes()).toEqual([]);
  });
});
