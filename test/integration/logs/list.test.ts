import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Ctx } from '../../../src/context.ts';
import { CHANNELS } from '../../../src/kernel/channel.ts';
import { AREAS } from '../../../src/kernel/crypto/secrets.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { STATUSES } from '../../../src/kernel/status.ts';
import { readScope } from '../../../src/modules/accounts/read-scope.ts';
import { LOG_TYPES } from '../../../src/modules/answers/log.data.ts';
import { listLogs } from '../../../src/modules/logs/list-logs.ts';
import { type LogFilter, listLogsInput } from '../../../src/modules/logs/log-filter.input.ts';
import { matchesFilter, readLogFilter } from '../../../src/modules/logs/log-filter.policy.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import type { Attempt } from '../../../src/modules/routing/attempt.entity.ts';
import { statementsOf } from '../../support/databases/statements.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { idAt, makeAttempt, makeMessage, midMonth } from '../../support/logs/log-rows.ts';
import { readInput, refusal } from '../../support/refusal.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { makeAccount, OPERATOR, type TestServices } from '../../support/services.ts';

const CONNECTION = newId('con');
const [PIN_A, PIN_B, PIN_C] = ['a', 'b', 'c'].map(digit => `pin_${digit.repeat(32)}`);

const on = setUpServices();
const account = setUpAccount(on);
const other = setUpAccount(on);

async function store(...rows: object[]): Promise<void> {
  await on.database.fork().persist(rows).flush();
}

async function idsOf(ctx: Ctx, filter: LogFilter = {}): Promise<string[]> {
  return (await listLogs(ctx, { first: 200, filter })).rows.map(row => row.id);
}

/** Entries a minute apart, newest first. */
function makeEntries(count: number, given: Parameters<typeof makeAttempt>[1] = {}): Attempt[] {
  const now = Date.now();
  return Array.from({ length: count }, (_, index) =>
    makeAttempt(account.accountId, { ...given, startedAt: new Date(now - index * 60_000) }),
  );
}

describe('a page of the log', () => {
  test('is the newest 50 entries where nothing is said', async () => {
    const entries = makeEntries(51);
    await store(...entries);
    const page = await listLogs(on.ctxFor(account.actor('unified')), {});
    expect(page.rows.map(row => row.id)).toEqual(entries.slice(0, 50).map(row => row.id));
    expect(page.hasNextPage).toBe(true);
  });

  test.each<{ by: string; filter: LogFilter }>([
    { by: 'nothing', filter: {} },
    { by: 'two members of a filter', filter: { channel: 'sms', status: 'sent' } },
  ])('of 200 entries by $by is made by 51 at a time', async ({ filter }) => {
    const entries = makeEntries(210);
    await store(...entries);
    const ctx = on.ctxFor(account.actor('unified'));
    const statements = await statementsOf(on.database, async () => {
      expect(await idsOf(ctx, filter)).toEqual(entries.slice(0, 200).map(row => row.id));
    });
    expect(statements.filter(text => text.includes('from "attempts"'))).toHaveLength(4);
  });

  test('goes on after its cursor until nothing is left, each entry once', async () => {
    const entries = makeEntries(7);
    await store(...entries);
    const ctx = on.ctxFor(account.actor('unified'));
    const seen: string[] = [];
    const sizes: number[] = [];
    let after: string | null = null;
    do {
      const page = await listLogs(ctx, { first: 3, after });
      sizes.push(page.rows.length);
      seen.push(...page.rows.map(row => row.id));
      after = page.hasNextPage ? page.endCursor : null;
    } while (after !== null);
    expect(sizes).toEqual([3, 3, 1]);
    expect(seen).toEqual(entries.map(row => row.id));
  });

  test('that ends with the last entry has no next one, and one without entries has no cursor', async () => {
    await store(...makeEntries(2));
    const ctx = on.ctxFor(account.actor('unified'));
    const page = await listLogs(ctx, { first: 2 });
    expect(page).toMatchObject({ hasNextPage: false, endCursor: expect.any(String) });
    expect(await listLogs(ctx, { after: page.endCursor })).toEqual({ rows: [], endCursor: null, hasNextPage: false });
  });

  test('goes over the months', async () => {
    const entries = [1, 0, -1].map(offset => makeAttempt(account.accountId, { startedAt: midMonth(offset) }));
    await store(...entries);
    const ctx = on.ctxFor(account.actor('unified'));
    const first = await listLogs(ctx, { first: 2 });
    const second = await listLogs(ctx, { first: 2, after: first.endCursor });
    expect([...first.rows, ...second.rows].map(row => row.id)).toEqual(entries.map(row => row.id));
  });

  test.each(['', 'x', 'att_0199a0b1c2d37e4f8a0b1c2d3e4f5a6b', '\u0000'])('does not take the cursor %j', async after => {
    await expect(listLogs(on.ctxFor(account.actor('unified')), { after })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ field: 'after' }] },
    });
  });

  test('of 0 entries is refused', () => {
    expect(() => readInput(listLogsInput, { first: 0 })).toThrow(refusal('invalid_input', 'first'));
  });

  test('says the country of each recipient, by the sandbox too', async () => {
    const ctx = on.ctxFor(account.actor('unified'));
    await sendMessage(ctx, { to: '+447400123456', text: 'Hello', sender: 'ACME' });
    expect(await idsOf(ctx, { country: 'GB' })).toHaveLength(1);
    expect(await idsOf(ctx, { country: 'US' })).toEqual([]);
  });

  test('shows what a send did', async () => {
    const ctx = on.ctxFor(account.actor('unified'));
    const message = await sendMessage(ctx, { to: '+12025550100', text: 'Hello', sender: 'ACME', reference: 'order-1' });
    const { rows } = await listLogs(ctx, { filter: { messageId: message.id } });
    expect(rows).toMatchObject([
      { id: message.attempts?.[0]?.id, type: 'message_attempt', status: 'sent', sender: 'ACME', reference: 'order-1' },
    ]);
  });
});

describe('who sees which entries', () => {
  const areas = ['unified', 'sms', 'otp'] as const;
  const entries = () => areas.map(area => makeAttempt(account.accountId, { area }));

  test.each([
    ['unified', ['unified', 'sms', 'otp']],
    ['management', ['unified', 'sms', 'otp']],
    ['sms', ['sms']],
    ['otp', ['otp']],
  ] as const)('a token of the area %s sees %j', async (area, visible) => {
    await store(...entries(), makeAttempt(other.accountId, { area: 'sms' }));
    const { rows } = await listLogs(on.ctxFor(account.actor(area)), {});
    expect(new Set(rows.map(row => row.area))).toEqual(new Set(visible));
    expect(rows.every(row => row.accountId === account.accountId)).toBe(true);
  });

  test('an operator sees the account that it acts for', async () => {
    await store(...entries(), makeAttempt(other.accountId));
    expect(await idsOf(on.ctxFor(account.operator))).toHaveLength(3);
  });

  test('an operator must name an account, and a stranger sees nothing', async () => {
    await expect(listLogs(on.ctxFor(OPERATOR), {})).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(listLogs(on.ctxFor({ kind: 'anonymous' }), {})).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('a unified token reads nothing while the unified API is off, the others do', async () => {
    const closed = await makeAccount(on, { unifiedApi: false });
    const over = await makeAccount(on, { planExpiresAt: new Date(0) });
    const read = (actor: Parameters<TestServices['ctxFor']>[0]) => listLogs(on.ctxFor(actor), {});
    await expect(read(closed.actor('unified'))).rejects.toMatchObject({ code: 'unified_api_disabled' });
    await expect(read(over.actor('unified'))).rejects.toMatchObject({ code: 'plan_expired' });
    for (const actor of [closed.actor('sms'), closed.actor('otp'), closed.actor('management'), closed.operator]) {
      expect((await read(actor)).rows).toEqual([]);
    }
  });

  test("another account's message, a missing one and a malformed id find the same: nothing", async () => {
    const foreign = makeAttempt(other.accountId);
    await store(foreign);
    const ctx = on.ctxFor(account.actor('unified'));
    for (const messageId of [foreign.messageId, newId('msg'), 'msg_1', 'nonsense', "'"]) {
      expect(await listLogs(ctx, { filter: { messageId: messageId ?? null } })).toEqual({
        rows: [],
        endCursor: null,
        hasNextPage: false,
      });
    }
  });
});

describe('the filter', () => {
  test('finds the entries of a reference', async () => {
    const message = makeMessage(account.accountId, { reference: 'order-1' });
    const foreign = makeMessage(other.accountId, { reference: 'order-1' });
    const rest = { messageId: message.id, reference: 'order-1' };
    const found = makeAttempt(account.accountId, rest);
    await store(message, foreign, found, makeAttempt(account.accountId, { reference: null }));
    await store(makeAttempt(other.accountId, { messageId: foreign.id, reference: 'order-1' }));
    const ctx = on.ctxFor(account.actor('unified'));
    expect(await idsOf(ctx, { reference: 'order-1' })).toEqual([found.id]);
    expect(await idsOf(ctx, { reference: 'order-2' })).toEqual([]);
    expect(await idsOf(ctx, { reference: 'order-1', messageId: newId('msg') })).toEqual([]);
    expect(await idsOf(on.ctxFor(account.actor('sms')), { reference: 'order-1' })).toEqual([]);
  });

  test('finds an entry by its id', async () => {
    const entries = makeEntries(2);
    await store(...entries);
    const ctx = on.ctxFor(account.actor('unified'));
    for (const { id } of entries) {
      expect(await idsOf(ctx, { attemptId: id })).toEqual([id]);
      expect(await idsOf(ctx, { attemptId: id, status: 'failed' })).toEqual([]);
      expect(await idsOf(on.ctxFor(other.actor('unified')), { attemptId: id })).toEqual([]);
    }
  });

  test('takes a time range from its start up to but without its end', async () => {
    const entries = makeEntries(5);
    await store(...entries);
    const [, second, , fourth] = entries;
    const ids = await idsOf(on.ctxFor(account.actor('unified')), {
      from: fourth?.startedAt ?? null,
      to: second?.startedAt ?? null,
    });
    expect(ids).toEqual(entries.slice(2, 4).map(row => row.id));
  });

  test('goes on with the same filter after a cursor', async () => {
    const wanted = makeEntries(4, { recipient: '447911123456' });
    await store(...wanted, ...makeEntries(4));
    const ctx = on.ctxFor(account.actor('unified'));
    const filter = { recipient: '+44 7911 123456' };
    const first = await listLogs(ctx, { first: 3, filter });
    const second = await listLogs(ctx, { first: 3, filter, after: first.endCursor });
    expect([...first.rows, ...second.rows].map(row => row.id)).toEqual(wanted.map(row => row.id));
  });

  test('passes in memory exactly what it finds in the database', async () => {
    const baseMs = Date.now() - 3_600_000;
    const messages = ['ref-1', 'ref-2', null].map(reference =>
      makeMessage(account.accountId, { reference, createdAt: new Date(baseMs) }),
    );
    const pick = <Value>(...values: readonly Value[]) => fc.constantFrom(...values);
    const minutes = fc.integer({ min: 0, max: 20 }).map(minute => new Date(baseMs + minute * 60_000));
    const recipients = pick('12025550100', '12025550101');
    const row = fc.record({
      area: pick(...AREAS),
      type: pick(...LOG_TYPES),
      message: pick(...messages),
      pinId: pick(PIN_A, PIN_B, null),
      channel: pick(...CHANNELS),
      recipient: recipients,
      sender: pick('ACME', '15550000001', null),
      status: pick(...STATUSES),
      errorCode: pick('no_route', 'recipient_refused', null),
      provider: pick('sandbox', 'smpp', null),
      connectionId: pick(CONNECTION, null),
      country: pick('US', 'DE', null),
      startedAt: minutes,
    });
    const entries = fc.sample(row, { numRuns: 300, seed: 1 }).map(({ message, ...given }) =>
      makeAttempt(account.accountId, {
        ...given,
        id: idAt('att', given.startedAt),
        messageId: message.id,
        reference: message.reference ?? null,
      }),
    );
    await store(...messages);
    const em = on.database.fork();
    for (const entry of entries.slice(0, 200)) em.persist(entry);
    await em.flush();
    const stored = entries.slice(0, 200);
    const filters = fc.record(
      {
        channel: pick(...CHANNELS, null),
        status: pick(...STATUSES),
        type: pick(...LOG_TYPES),
        recipient: recipients,
        sender: pick('ACME', '+1 555 000 0001', 'acme'),
        reference: pick('ref-1', 'ref-2', 'ref-3'),
        messageId: pick(...messages.map(message => message.id), newId('msg'), 'msg_1'),
        pinId: pick(PIN_A, PIN_C),
        errorCode: pick('no_route', 'recipient_refused', 'No_Route'),
        errorCodes: pick(['no_route'], ['no_route', 'recipient_refused']),
        statuses: pick(['failed' as const], ['failed' as const, 'sent' as const]),
        types: pick(['otp_blocked' as const], ['message_attempt' as const, 'otp_attempt' as const]),
        provider: pick('sandbox', 'smpp', 'none', 'no such'),
        connectionId: pick(CONNECTION, newId('con'), 'con_1'),
        country: pick('US', 'DE', 'none'),
        from: minutes,
        to: minutes,
      },
      { requiredKeys: [] },
    );
    // A time that ends before it begins is refused.
    const filter = filters.filter(({ from, to }) => !from || !to || from <= to);
    await assertProperty(
      fc.asyncProperty(filter, pick(...AREAS), async (given, area) => {
        const criteria = readLogFilter(readScope(on.ctxFor(account.actor(area))), given);
        const passed = stored.filter(entry => criteria !== null && matchesFilter(entry, criteria));
        const found = await idsOf(on.ctxFor(account.actor(area)), given);
        expect(new Set(found)).toEqual(new Set(passed.map(entry => entry.id)));
      }),
      { numRuns: rounds({ usual: 150, long: 500 }) },
    );
  });
});
