import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { CHANNELS } from '../../../src/kernel/channel.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { STATUSES } from '../../../src/kernel/status.ts';
import { rollUpLog } from '../../../src/modules/figures/roll-up.ts';
import { countLogs } from '../../../src/modules/logs/count-logs.ts';
import { listLogs } from '../../../src/modules/logs/list-logs.ts';
import { countLogsInput, type LogFilter } from '../../../src/modules/logs/log-filter.input.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { makeAttempt } from '../../support/logs/log-rows.ts';
import { newPinId } from '../../support/otp/rows.ts';
import { readInput } from '../../support/refusal.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';

const on = setUpServices();
const account = setUpAccount(on);

beforeEach(async () => {
  // As before the first run of the job: each test stores entries of hours that another may have counted.
  await on.sql(`update log_roll_up set until = '00000000-0000-0000-0000-000000000000'`);
});

const MINUTE = 60_000;
const DAY = 86_400_000;
const PIN = newPinId();
const CONNECTION = newId('con');

const ctx = () => on.ctxFor(account.actor('management'));

async function sumOf(from: Date, filter: LogFilter = {}, buckets?: number): Promise<number> {
  const histogram = await countLogs(ctx(), { from, filter, buckets });
  expect(histogram.countedFrom).toBeNull();
  return histogram.buckets.reduce((total, { entries }) => total + entries, 0);
}

const filters: fc.Arbitrary<LogFilter> = fc.record(
  {
    channel: fc.constantFrom(...CHANNELS),
    status: fc.constantFrom(...STATUSES),
    type: fc.constantFrom('message_attempt' as const, 'otp_attempt' as const),
    types: fc.constant(['otp_attempt' as const, 'otp_verified' as const]),
    recipient: fc.constantFrom('+12025550100', '+12025550101'),
    sender: fc.constantFrom('ACME', 'OTHER'),
    pinId: fc.constant(PIN),
    errorCode: fc.constantFrom('no_route', 'recipient_refused'),
    errorCodes: fc.constant(['no_route', 'recipient_refused']),
    statuses: fc.constant(['failed' as const, 'sent' as const]),
    provider: fc.constantFrom('sandbox', 'smpp', 'none'),
    connectionId: fc.constant(CONNECTION),
    country: fc.constantFrom('US', 'none'),
  },
  { requiredKeys: [] },
);

async function fill(): Promise<void> {
  const rows = Array.from({ length: 120 }, (_, index) =>
    makeAttempt(account.accountId, {
      startedAt: new Date(Date.now() - 2 * MINUTE - index * 97 * MINUTE),
      channel: CHANNELS[index % 3] ?? 'sms',
      status: STATUSES[index % 7] ?? 'sent',
      recipient: `1202555010${index % 2}`,
      errorCode: [null, 'no_route', 'recipient_refused'][index % 3] ?? null,
      sender: index % 5 ? 'ACME' : 'OTHER',
      provider: ['sandbox', 'smpp', null][index % 3] ?? null,
      connectionId: index % 2 ? CONNECTION : null,
      country: index % 4 ? 'US' : null,
      ...(index % 4 ? {} : { type: 'otp_attempt', messageId: null, pinId: PIN }),
    }),
  );
  await on.database.fork().persist(rows).flush();
}

describe('the histogram of the log', () => {
  test('counts what the list has, of any filter and time', async () => {
    await fill();
    await rollUpLog(on.database);
    await assertProperty(
      fc.asyncProperty(
        filters,
        fc.integer({ min: MINUTE, max: 9 * DAY }),
        fc.integer({ min: 1, max: 120 }),
        async (filter, ageMs, buckets) => {
          const from = new Date(Date.now() - ageMs);
          const { rows } = await listLogs(ctx(), { first: 200, filter: { ...filter, from } });
          expect(await sumOf(from, filter, buckets)).toBe(rows.length);
        },
      ),
      { numRuns: rounds({ usual: 20, long: 200 }) },
    );
  });

  test('puts an entry into the bucket of its time', async () => {
    const startedAt = new Date(Date.now() - 10 * MINUTE);
    await on.database.fork().persist(makeAttempt(account.accountId, { startedAt })).flush();
    const { buckets, bucketSeconds } = await countLogs(ctx(), { from: new Date(Date.now() - 60 * MINUTE) });
    expect(buckets).toHaveLength(1);
    const from = buckets[0]?.from.getTime() ?? 0;
    expect(from).toBeLessThanOrEqual(startedAt.getTime());
    expect(from + bucketSeconds * 1_000).toBeGreaterThan(startedAt.getTime());
  });

  test.each([1, 120])('counts one attempt by its id, in %d buckets', async buckets => {
    await fill();
    await rollUpLog(on.database);
    const from = new Date(Date.now() - 9 * DAY);
    const [, { id: attemptId } = { id: '' }] = (await listLogs(ctx(), { filter: { from } })).rows;
    expect(await sumOf(from, { attemptId }, buckets)).toBe(1);
    expect(await sumOf(from, { attemptId: newId('att') }, buckets)).toBe(0);
  });

  test('narrows its time by that of the filter', async () => {
    await fill();
    const filter = { to: new Date(Date.now() - DAY) };
    const { rows } = await listLogs(ctx(), { first: 200, filter: { ...filter, from: new Date(Date.now() - 3 * DAY) } });
    expect(await sumOf(new Date(Date.now() - 3 * DAY), filter)).toBe(rows.length);
  });

  test.each([1, 7, 60, 120])('has at most %d buckets', async max => {
    for (const ageMs of [MINUTE, DAY, 92 * DAY - MINUTE]) {
      const { from, to, bucketSeconds } = await countLogs(ctx(), { from: new Date(Date.now() - ageMs), buckets: max });
      const first = Math.floor(from.getTime() / bucketSeconds / 1_000);
      expect(Math.ceil(to.getTime() / bucketSeconds / 1_000) - first).toBeLessThanOrEqual(max === 1 ? 2 : max);
    }
  });

  test('says from when on it counted where there are too many to look at', async () => {
    const now = Date.now() - 60 * MINUTE;
    for (let made = 0; made < 105_007; made += 15_001) {
      await on.sql(
        `insert into attempts (id, account_id, area, type, message_id, channel, provider, recipient, sender, status, segments, started_at)
         select (lpad(to_hex($1::bigint - n), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid, $2::uuid, 'unified', 'message_attempt',
           gen_random_uuid(), 'sms', 'sandbox', '12025550100', 'ACME', 'sent', 1, to_timestamp(($1::bigint - n) / 1000.0)
         from generate_series($3::bigint, $3::bigint + 15000) n`,
        [now, toUuid(account.accountId), made + 1],
      );
    }
    const { countedFrom, buckets } = await countLogs(ctx(), { filter: { sender: 'ACME' } });
    expect(countedFrom).toBeInstanceOf(Date);
    expect(buckets.reduce((total, { entries }) => total + entries, 0)).toBe(99_999);
  });

  test.each([
    ['from', { from: new Date('2026-01-02'), to: new Date('2026-01-01') }],
    ['from', { from: new Date('2026-01-01'), to: new Date('2026-06-01') }],
    ['buckets', { buckets: 121 }],
    ['buckets', { buckets: 0 }],
  ])('refuses a wrong %s', async (field, input) => {
    const count = async () => countLogs(ctx(), readInput(countLogsInput, input));
    await expect(count()).rejects.toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ field }] },
    });
  });
});
