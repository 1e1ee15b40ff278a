import { describe, expect, test } from 'vitest';
import { newId } from '../../../src/kernel/ids.ts';
import { findMessage, listMessages, loadAttempts } from '../../../src/modules/messaging/list-messages.ts';
import type { Message } from '../../../src/modules/messaging/message.entity.ts';
import { type ListMessagesInput, listMessagesInput } from '../../../src/modules/messaging/message-filter.input.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { makeAttempt, makeMessage, midMonth } from '../../support/logs/log-rows.ts';
import { readInput } from '../../support/refusal.ts';
import { makeAccount } from '../../support/services.ts';

const on = setUpServices();
const account = setUpAccount(on);
const other = setUpAccount(on);

async function store(...rows: object[]): Promise<void> {
  await on.database.fork().persist(rows).flush();
}

/** Messages a minute apart, newest first. */
function makeMessages(count: number, given: Parameters<typeof makeMessage>[1] = {}): Message[] {
  const now = Date.now();
  return Array.from({ length: count }, (_, index) =>
    makeMessage(account.accountId, { ...given, createdAt: new Date(now - index * 60_000) }),
  );
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(row => row.id);

describe('the list of messages', () => {
  test('is newest first, page after page', async () => {
    const messages = makeMessages(5);
    await store(...messages);
    const ctx = on.ctxFor(account.actor('unified'));
    const first = await listMessages(ctx, { first: 3 });
    const second = await listMessages(ctx, { first: 3, after: first.endCursor });
    expect(idsOf([...first.rows, ...second.rows])).toEqual(idsOf(messages));
    expect([first.hasNextPage, second.hasNextPage]).toEqual([true, false]);
  });

  test.each<[string, Parameters<typeof makeMessage>[1], NonNullable<ListMessagesInput['filter']>]>([
    ['status', { status: 'failed', channel: null }, { status: 'failed' }],
    ['recipient', { recipient: '447911123456' }, { recipient: '+44 7911 123456' }],
    ['reference', { reference: 'order-1' }, { reference: 'order-1' }],
    ['channel', { channel: 'chat_qr' }, { channel: 'chat_qr' }],
    ['time', { createdAt: midMonth(-1) }, { from: midMonth(-1), to: new Date(midMonth(-1).getTime() + 1) }],
  ])('is narrowed by %s', async (_name, given, filter) => {
    const wanted = makeMessage(account.accountId, given);
    const { id: messageId, recipient, createdAt: startedAt } = wanted;
    const attempt = makeAttempt(account.accountId, { messageId, recipient, startedAt });
    await store(wanted, attempt, ...makeMessages(3), makeMessage(other.accountId, given));
    const { rows } = await listMessages(on.ctxFor(account.actor('unified')), { filter });
    expect(idsOf(rows)).toEqual([wanted.id]);
  });

  test('has what is under way to a recipient, of which the log has nothing yet', async () => {
    const given = { recipient: '447911123458', status: 'pending', channel: null, leaseUntil: new Date() } as const;
    const wanted = makeMessage(account.accountId, given);
    await store(wanted);
    const { rows } = await listMessages(on.ctxFor(account.actor('unified')), {
      filter: { recipient: '+447911123458' },
    });
    expect(idsOf(rows)).toEqual([wanted.id]);
  });

  test('begins at the time that a message shows, however long it took to make it', async () => {
    on.clock.set(new Date(Date.now() + 60_000));
    const ctx = on.ctxFor(account.actor('unified'));
    const sent = await sendMessage(ctx, { to: '+447911123459', text: 'Hello', channels: ['sms'], sender: 'ACME' });
    const ask = async (filter: NonNullable<ListMessagesInput['filter']>) =>
      idsOf((await listMessages(ctx, { filter })).rows);
    expect(await ask({ from: sent.createdAt })).toEqual([sent.id]);
    expect(await ask({ to: sent.createdAt })).toEqual([]);
  });

  test.each([
    [{ first: 0 }, 'first'],
    [{ first: 201 }, 'first'],
    [{ after: 'x' }, 'after'],
    [{ filter: { recipient: 'nobody' } }, 'filter.recipient'],
  ])('refuses %j', async (input, field) => {
    const list = async () => listMessages(on.ctxFor(account.actor('unified')), readInput(listMessagesInput, input));
    await expect(list()).rejects.toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ field }] },
    });
  });
});

describe('who sees which messages', () => {
  test.each([
    ['unified', 2],
    ['management', 2],
    ['sms', 1],
    ['otp', 0],
  ] as const)('a token of the area %s lists, finds and loads %i of two', async (area, count) => {
    const messages = [makeMessage(account.accountId), makeMessage(account.accountId, { area: 'sms' })];
    const attempts = messages.map(message =>
      makeAttempt(account.accountId, { messageId: message.id, area: message.area }),
    );
    await store(...messages, ...attempts);
    const ctx = on.ctxFor(account.actor(area));
    expect((await listMessages(ctx, {})).rows).toHaveLength(count);
    const found = await Promise.all(messages.map(message => findMessage(ctx, message.id)));
    expect(found.filter(message => message !== null)).toHaveLength(count);
    expect((await loadAttempts(ctx, idsOf(messages))).flat()).toHaveLength(count);
  });

  test("another account's message, a missing one and a malformed id are the same: none", async () => {
    const foreign = makeMessage(other.accountId);
    await store(foreign, makeAttempt(other.accountId, { messageId: foreign.id }));
    const ctx = on.ctxFor(account.actor('unified'));
    const ids = [foreign.id, newId('msg'), 'msg_1', '', foreign.id.replace('msg', 'att')];
    expect(await Promise.all(ids.map(id => findMessage(ctx, id)))).toEqual(ids.map(() => null));
    expect(await loadAttempts(ctx, ids)).toEqual(ids.map(() => []));
  });

  test('a unified token reads nothing while the unified API is off', async () => {
    const closed = await makeAccount(on, { unifiedApi: false });
    const ctx = on.ctxFor(closed.actor('unified'));
    const refused = { code: 'unified_api_disabled' };
    await expect(listMessages(ctx, {})).rejects.toMatchObject(refused);
    await expect(findMessage(ctx, newId('msg'))).rejects.toMatchObject(refused);
    await expect(loadAttempts(ctx, [newId('msg')])).rejects.toMatchObject(refused);
  });
});

describe('the attempts of messages', () => {
  test('are loaded for each message in turn, repeats and capitals too', async () => {
    const messages = makeMessages(3);
    const attempts = messages.slice(0, 2).map(message => makeAttempt(account.accountId, { messageId: message.id }));
    await store(...messages, ...attempts);
    const [first, second, third] = idsOf(messages);
    const asked = [third, second, first, second, `msg_${first?.slice(4).toUpperCase()}`].map(String);
    const loaded = await loadAttempts(on.ctxFor(account.actor('unified')), asked);
    const [ofFirst, ofSecond] = idsOf(attempts);
    expect(loaded.map(idsOf)).toEqual([[], [ofSecond], [ofFirst], [ofSecond], [ofFirst]]);
  });

  test('are in the order of the route, as the answer of the send was', async () => {
    const ctx = on.ctxFor(account.actor('unified'));
    const message = await sendMessage(ctx, {
      to: '+12025550100',
      text: 'Hello',
      channels: ['sms', 'chat_qr'],
      deliveryMode: 'all',
      sender: 'ACME',
      chatFrom: '15550000001',
    });
    const [attempts] = await loadAttempts(ctx, [message.id]);
    expect(attempts?.map(attempt => attempt.channel)).toEqual(['sms', 'chat_qr']);
    expect(idsOf(attempts ?? [])).toEqual(idsOf(message.attempts ?? []));
    const found = await findMessage(ctx, message.id);
    expect(found).toMatchObject({ id: message.id, status: 'sent', channel: message.channel, text: 'Hello' });
  });

  test('of one channel are in the order of their times, however their rows lie', async () => {
    const begunMs = Date.now();
    const message = makeMessage(account.accountId, { createdAt: new Date(begunMs), channels: ['chat_qr', 'sms'] });
    const made = (['chat_qr', 'chat_qr', 'sms', 'sms'] as const).map((channel, index) =>
      makeAttempt(account.accountId, { messageId: message.id, channel, startedAt: new Date(begunMs + index) }),
    );
    await store(message);
    for (const attempt of made.toReversed()) await store(attempt);
    const [attempts] = await loadAttempts(on.ctxFor(account.actor('unified')), [message.id]);
    expect(idsOf(attempts ?? [])).toEqual(idsOf(made));
  });

  test('are found in the months in which they were made', async () => {
    const message = makeMessage(account.accountId, { createdAt: midMonth(-1) });
    const attempts = [midMonth(-1), midMonth(1)].map((startedAt, index) =>
      makeAttempt(account.accountId, { messageId: message.id, startedAt, channel: index === 0 ? 'chat_qr' : 'sms' }),
    );
    message.channels = ['chat_qr', 'sms'];
    await store(message, ...attempts);
    const [loaded] = await loadAttempts(on.ctxFor(account.actor('unified')), [message.id]);
    expect(idsOf(loaded ?? [])).toEqual(idsOf(attempts));
  });
});
