import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHANNELS } from '../../../src/kernel/channel.ts';
import { AREAS } from '../../../src/kernel/crypto/secrets.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { LogStatus } from '../../../src/kernel/status.ts';
import { readScope } from '../../../src/modules/accounts/read-scope.ts';
import type { LogFilter } from '../../../src/modules/logs/log-filter.input.ts';
import { matchesFilter, readLogFilter } from '../../../src/modules/logs/log-filter.policy.ts';
import { type LogSend, listSends } from '../../../src/modules/logs/sends/list-sends.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import type { Attempt } from '../../../src/modules/routing/attempt.entity.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { idAt, makeAttempt } from '../../support/logs/log-rows.ts';
import { newPinId } from '../../support/otp/rows.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';

const on = setUpServices();
const account = setUpAccount(on);
const other = setUpAccount(on);

const MINUTE = 60_000;

const ctx = (area: Parameters<typeof account.actor>[0] = 'unified') => on.ctxFor(account.actor(area));

async function store(...rows: Attempt[]): Promise<void> {
  await on.database.fork().persist(rows).flush();
}

async function read(filter: LogFilter = {}): Promise<LogSend[]> {
  return (await listSends(ctx(), { first: 200, filter })).rows;
}

/** Entries of one send a minute apart, the oldest first. */
function entriesOf(send: Partial<Attempt>, ...given: Partial<Attempt>[]): Attempt[] {
  const startMs = Date.now() - 60 * MINUTE;
  return given.map((one, index) =>
    makeAttempt(account.accountId, { ...send, ...one, startedAt: new Date(startMs + index * MINUTE) }),
  );
}

const ofPin = (pinId: string): Partial<Attempt> => ({ type: 'otp_attempt', messageId: null, pinId, resend: 0 });

describe('the log by message', () => {
  test('has one row for a chat that failed and an SMS that arrived', async () => {
    const messageId = newId('msg');
    const entries = entriesOf(
      { messageId },
      { channel: 'chat_qr', status: 'failed', errorCode: 'not_linked' },
      { channel: 'sms', status: 'delivered' },
    );
    await store(...entries);
    expect(await read()).toMatchObject([
      { messageId, pinId: null, status: 'delivered', entries: entries.map(({ id }) => ({ id })) },
    ]);
  });

  test('has the message of an attempt by its id', async () => {
    const messageId = newId('msg');
    const entries = entriesOf({ messageId }, { channel: 'chat_qr', status: 'failed' }, { channel: 'sms' });
    const strange = makeAttempt(other.accountId);
    await store(...entries, ...entriesOf({ messageId: newId('msg') }, {}), strange);
    for (const { id } of entries)
      expect(await read({ attemptId: id })).toMatchObject([
        { messageId, entries: entries.map(one => ({ id: one.id })) },
      ]);
    for (const attemptId of [strange.id, newId('att'), messageId]) expect(await read({ attemptId })).toEqual([]);
  });

  test('has one row for the sends and the tries of a passcode', async () => {
    const pinId = newPinId();
    const entries = entriesOf(
      ofPin(pinId),
      { status: 'delivered' },
      { status: 'sent', resend: 1 },
      { type: 'otp_incorrect', status: 'failed', errorCode: 'otp_incorrect' },
      { type: 'otp_verified', status: 'verified' },
    );
    await store(...entries);
    expect(await read()).toMatchObject([{ messageId: null, pinId, status: 'verified', entries: { length: 4 } }]);
  });

  test.each<[LogStatus, Partial<Attempt>[]]>([
    ['sent', [{ status: 'sent' }, { type: 'otp_incorrect', status: 'failed' }]],
    ['blocked', [{ status: 'sent' }, { type: 'otp_blocked', status: 'blocked' }]],
    ['expired', [{ status: 'delivered' }, { type: 'otp_expired', status: 'expired' }]],
    ['unknown', [{ status: 'failed' }, { status: 'unknown' }]],
    ['failed', [{ status: 'failed' }, { status: 'failed' }]],
  ])('says of a passcode that it is %s', async (status, given) => {
    await store(...entriesOf(ofPin(newPinId()), ...given));
    expect(await read()).toMatchObject([{ status }]);
    expect(await read({ statuses: [status] })).toHaveLength(1);
    expect(await read({ statuses: ['read'] })).toEqual([]);
  });

  test('has a row for what the fraud guard stopped, which is of no passcode', async () => {
    const [entry] = entriesOf({ type: 'otp_blocked', messageId: null, status: 'blocked', provider: null }, {});
    if (entry) await store(entry);
    expect(await read()).toMatchObject([
      { messageId: null, pinId: null, status: 'blocked', entries: [{ id: entry?.id }] },
    ]);
  });

  test('has no row for what the guard only noted beside a passcode, unless its type is asked for', async () => {
    await store(...entriesOf(ofPin(newPinId()), { status: 'sent' }));
    await store(...entriesOf({ type: 'otp_flagged', messageId: null, provider: null }, {}));
    expect(await read()).toHaveLength(1);
    expect(await read({ type: 'otp_flagged' })).toMatchObject([{ pinId: null }]);
    expect(await read({ types: ['otp_blocked', 'otp_flagged'] })).toHaveLength(1);
  });

  test('filters by the status of the send, and by all else of its attempts', async () => {
    const messageId = newId('msg');
    const failed = { channel: 'chat_qr', status: 'failed', errorCode: 'not_linked' } as const;
    await store(...entriesOf({ messageId }, failed, { channel: 'sms', status: 'sent' }));
    await store(...entriesOf({ messageId: newId('msg') }, failed));
    expect(await read({ status: 'failed' })).toHaveLength(1);
    expect(await read({ errorCode: 'not_linked' })).toHaveLength(2);
    expect(await read({ channel: 'sms' })).toMatchObject([{ messageId, entries: { length: 2 } }]);
    expect(await read({ statuses: ['sent', 'delivered'], channel: 'chat_qr' })).toMatchObject([{ messageId }]);
    expect(await read({ status: 'failed', statuses: ['sent'] })).toEqual([]);
  });

  test('has a send in the time in which it began, and in no other', async () => {
    const entries = entriesOf({ messageId: newId('msg') }, { status: 'failed' }, { status: 'sent' });
    await store(...entries);
    const [first, second] = entries.map(({ startedAt }) => startedAt);
    expect(await read({ to: second ?? null })).toHaveLength(1);
    expect(await read({ from: second ?? null })).toEqual([]);
    expect(await read({ from: first ?? null })).toHaveLength(1);
  });

  test('shows attempts by the route, then by time', async () => {
    const to = '+12025550102';
    const request = {
      to,
      text: 'Hello',
      channels: ['chat_qr', 'sms'],
      chatFrom: '15550000001',
      sender: 'ACME',
    } as const;
    const { id, attempts } = await sendMessage(ctx(), {
      ...request,
      channels: [...request.channels],
      deliveryMode: 'all',
    });
    const [row] = await read({ messageId: id });
    expect(row?.entries.map(entry => entry.id)).toEqual(attempts?.map(attempt => attempt.id));
  });

  test('shows a caller nothing of another account or another area', async () => {
    await store(makeAttempt(other.accountId), makeAttempt(account.accountId, { area: 'sms' }));
    expect(await read()).toHaveLength(1);
    expect((await listSends(ctx('sms'), {})).rows).toHaveLength(1);
    expect((await listSends(ctx('otp'), {})).rows).toEqual([]);
  });

  test('lists each send once, whatever the filter and the size of a page', async () => {
    const baseMs = Date.now() - 3 * 60 * MINUTE;
    const pick = <Value>(...values: readonly Value[]) => fc.constantFrom(...values);
    const minutes = fc.integer({ min: 0, max: 60 }).map(minute => new Date(baseMs + minute * MINUTE));
    const sends = Array.from({ length: 40 }, (_, index) =>
      index % 2 ? { messageId: newId('msg') } : { ...ofPin(newPinId()) },
    );
    const row = fc.record({
      send: pick(...sends),
      area: pick(...AREAS),
      channel: pick(...CHANNELS),
      recipient: pick('12025550100', '12025550101'),
      status: pick('sent' as const, 'failed' as const, 'delivered' as const),
      errorCode: pick('no_route', null),
      provider: pick('sandbox', null),
      startedAt: minutes,
    });
    const stored = fc
      .sample(row, { numRuns: 150, seed: 3 })
      .map(({ send, ...given }) =>
        makeAttempt(account.accountId, { ...send, ...given, id: idAt('att', given.startedAt) }),
      );
    await store(...stored);
    const filters = fc.record(
      {
        statuses: pick(['failed' as const], ['sent' as const, 'delivered' as const]),
        channel: pick(...CHANNELS),
        recipient: pick('12025550100', '12025550101'),
        errorCode: pick('no_route'),
        provider: pick('sandbox', 'none'),
        from: minutes,
        to: minutes,
      },
      { requiredKeys: [] },
    );
    await assertProperty(
      fc.asyncProperty(
        filters.filter(({ from, to }) => !from || !to || from <= to),
        pick('unified' as const, 'sms' as const),
        fc.integer({ min: 1, max: 30 }),
        async (filter, area, first) => {
          const listed: string[] = [];
          for (let after: string | null = null; ; ) {
            const page: Awaited<ReturnType<typeof listSends>> = await listSends(ctx(area), { filter, first, after });
            listed.push(...page.rows.map(({ id }) => id));
            if (!page.hasNextPage) break;
            after = page.endCursor;
          }
          expect(listed).toEqual(expected(stored, filter, area));
        },
      ),
      { numRuns: rounds({ usual: 60, long: 300 }) },
    );
  });
});

/** The expected list: of each send the first entry that passes, if it lies in the time and the send has one of the statuses. */
function expected(stored: readonly Attempt[], filter: LogFilter, area: 'unified' | 'sms'): string[] {
  const { statuses, from, to, ...ofEntries } = filter;
  const scope = readScope(on.ctxFor(account.actor(area)));
  const [any, within] = [readLogFilter(scope, ofEntries), readLogFilter(scope, { ...ofEntries, from, to })];
  if (!any || !within) return [];
  const groups = Map.groupBy(stored, ({ messageId, pinId }) => messageId ?? pinId);
  const firsts = [...groups.values()].flatMap(entries => {
    const [first] = entries.filter(entry => matchesFilter(entry, any)).sort((a, b) => (a.id < b.id ? -1 : 1));
    const best = (['delivered', 'sent', 'failed'] as const).find(status =>
      entries.some(entry => entry.status === status),
    );
    const stands = statuses == null || (best !== undefined && statuses.includes(best));
    return first && stands && matchesFilter(first, within) ? [first.id] : [];
  });
  return firsts.sort().reverse();
}
