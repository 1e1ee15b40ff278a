import { afterEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { missingLibrary } from '../../support/chat-qr/peer-library.ts';
import { CHAT_SENDER, delayTurn, newNumber, passTime, setUpNumbers } from '../../support/chat-qr/set-up-numbers.ts';
import { setUpOwnCustomer } from '../../support/fixtures.ts';

const HOUR_MS = 3_600_000;
const FREE = { isLocked: false, lockedUntilMs: null, newChats: 30, newChatsUsed: 2, newChatsUntilMs: null };

describe.skipIf(missingLibrary() !== null)('a QR-linked number whose server sets limits', () => {
  const numbers = setUpNumbers();
  const customer = setUpOwnCustomer(numbers.on);
  afterEach(() => {
    numbers.peer.limits = FREE;
  });

  /** Links a number once the server tells limits that end in an hour. Answers the end too, as sentences write it. */
  async function linkLimited(limit: 'lock' | 'cap' | 'cap by word' | 'nearCap') {
    const untilMs = Math.ceil(Date.now() / 1_000) * 1_000 + HOUR_MS;
    const limits = {
      lock: { isLocked: true, lockedUntilMs: untilMs },
      cap: { newChats: 5, newChatsUsed: 5, newChatsUntilMs: untilMs },
      'cap by word': { newChatsUntilMs: untilMs, isCapped: true },
      nearCap: { newChats: 5, newChatsUsed: 3, newChatsUntilMs: untilMs },
    };
    numbers.peer.limits = { ...FREE, ...limits[limit] };
    const linked = await numbers.link(customer);
    await expect.poll(async () => (await numbers.session(linked.connectionId)).limits_at).not.toBeNull();
    numbers.peer.limits = FREE;
    return { ...linked, until: new Date(untilMs).toISOString().slice(0, 16) };
  }

  /** Somebody who has written to a number. */
  async function writer({ connectionId, number }: { connectionId: string; number: string }): Promise<string> {
    const person = newNumber();
    await numbers.peer.write(person, number, { conversation: 'Hello' }, { by: 'both' });
    const find = () =>
      numbers.on.sql('select 1 from chat_contacts where connection_id = $1 and person = $2', [
        toUuid(connectionId),
        person,
      ]);
    await expect.poll(async () => (await find()).length).toBe(1);
    return person;
  }

  const codeOf = async (to: string) => (await numbers.send(customer, to)).attempts[0]?.errorCode;

  async function dryRun(to: string) {
    const input = { to, text: 'Hello', channels: ['CHAT_QR'], chatFrom: CHAT_SENDER };
    const { data, errors } = await numbers.on.graphql<{ previewSend: { legs: { connections: object[] }[] } }>(
      `query ($input: SendMessageInput!) { previewSend(input: $input) { legs { connections { connectionId verdict reason } } } }`,
      { token: customer.tokens.unified, variables: { input } },
    );
    expect(errors).toBeNull();
    return data?.previewSend.legs[0]?.connections;
  }

  test.each([
    ['lock', 'number_locked'],
    ['cap', 'number_capped'],
    ['cap by word', 'number_capped'],
  ] as const)(
    'writes to nobody new while the %s lasts, and does again from the time on that was told',
    async (limit, code) => {
      const linked = await linkLimited(limit);
      const [known, stranger] = [await writer(linked), newNumber()];
      expect(await codeOf(stranger)).toBe(code);
      expect(await codeOf(known)).toBeNull();
      await passTime(numbers.on, [linked.connectionId], HOUR_MS - 60_000);
      expect(await codeOf(stranger)).toBe(code);
      await passTime(numbers.on, [linked.connectionId], 61_000);
      expect(await codeOf(stranger)).toBeNull();
    },
  );

  test.each([
    ['lock', 'WhatsApp lets this number write to nobody new'],
    ['cap', 'WhatsApp lets this number begin no more chats'],
  ] as const)(
    'is passed over by the dry run for somebody new alone, by the %s and until its end',
    async (limit, why) => {
      const linked = await linkLimited(limit);
      const { connectionId } = linked;
      const stranger = newNumber();
      const held = { connectionId, verdict: 'KNOWN_ONLY', reason: `${why}, until ${linked.until}Z.` };
      expect(await dryRun(stranger)).toEqual([held]);
      expect(await dryRun(await writer(linked))).toEqual([{ connectionId, verdict: 'FIRST', reason: null }]);
      await passTime(numbers.on, [connectionId], HOUR_MS + 1_000);
      expect(await dryRun(stranger)).toEqual([{ connectionId, verdict: 'FIRST', reason: null }]);
    },
  );

  test('counts whom it met since the server told how many chats it has begun, and no writers', async () => {
    const linked = await linkLimited('nearCap');
    const [first, second, stranger] = [newNumber(), newNumber(), newNumber()];
    for (const to of [await writer(linked), first, second]) {
      expect(await codeOf(to)).toBeNull();
      // The next turn is now.
      await passTime(numbers.on, [linked.connectionId], 4_000);
    }
    expect(await codeOf(stranger)).toBe('number_capped');
    expect(await dryRun(stranger)).toMatchObject([{ verdict: 'KNOWN_ONLY' }]);
    expect(await codeOf(first)).toBeNull();
  });

  test('is locked by a refusal at once, also for somebody new whose text waits for its turn', async () => {
    const { connectionId } = await numbers.link(customer, { perMinute: 2 });
    await expect.poll(async () => (await numbers.session(connectionId)).limits_at).not.toBeNull();
    // The second text of the minute waits.
    await delayTurn(numbers.on, connectionId);
    numbers.peer.limits = null;
    const strangers = [newNumber(), newNumber()];
    for (const to of strangers) numbers.peer.acknowledge(to, { refusedBy: '463' });
    const codes = await Promise.all(strangers.map(codeOf));
    expect(codes.sort()).toEqual(['number_locked', 'number_restricted']);
    expect(numbers.peer.messages.filter(({ to }) => strangers.includes(to))).toHaveLength(1);
  });

  test.each(['its turn is taken', 'its turn comes'])(
    'sends nothing, and says so, where the database cannot say what it may do when %s',
    async at => {
      const { connectionId } = await numbers.link(customer, { perMinute: 1 });
      const stranger = newNumber();
      await delayTurn(numbers.on, connectionId);
      const rename = () => numbers.on.sql('alter table chat_contacts rename to away');
      if (at === 'its turn is taken') await rename();
      const sending = numbers.send(customer, stranger);
      if (at === 'its turn comes') {
        await expect.poll(async () => (await numbers.session(connectionId)).turns).toHaveLength(2);
        await rename();
      }
      const { attempts } = await sending;
      await numbers.on.sql('alter table away rename to chat_contacts');
      expect(attempts).toMatchObject([{ status: 'failed', errorCode: 'not_connected' }]);
      expect(numbers.peer.messages.filter(({ to }) => to === stranger)).toEqual([]);
    },
  );

  test('is locked by a refusal that comes after the time of an acknowledgement', async () => {
    const { connectionId } = await numbers.link(customer);
    const stranger = newNumber();
    numbers.peer.acknowledge(stranger, 'no');
    const { messageId, attempts } = await numbers.send(customer, stranger);
    expect(attempts).toMatchObject([{ status: 'unknown', errorCode: 'no_ack' }]);
    const { id = '' } = numbers.peer.messages.find(({ to }) => to === stranger) ?? {};
    numbers.peer.acknowledgeLate(id, '463');
    await expect.poll(async () => (await numbers.session(connectionId)).locked_since).not.toBeNull();
    expect(await codeOf(newNumber())).toBe('number_locked');
    const told = () =>
      numbers.on.sql('select status, error_code from attempts where message_id = $1', [toUuid(messageId)]);
    await expect.poll(told).toEqual([{ status: 'failed', error_code: 'number_restricted' }]);
  });

  test('stays capped where the server is asked again and does not say', async () => {
    const { connectionId, number } = await linkLimited('cap');
    const lockedUntilMs = Date.now() + HOUR_MS / 2;
    numbers.peer.limits = { ...FREE, isLocked: true, lockedUntilMs, newChats: null };
    numbers.peer.close(number, 515);
    await expect.poll(async () => (await numbers.session(connectionId)).locked_since).not.toBeNull();
    await passTime(numbers.on, [connectionId], HOUR_MS / 2 + 1_000);
    expect(await codeOf(newNumber())).toBe('number_capped');
  });

  test('gives its place in the dry run to another number', async () => {
    const limited = await linkLimited('lock');
    const other = await numbers.link(customer);
    expect(await dryRun(newNumber())).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ connectionId: limited.connectionId, verdict: 'KNOWN_ONLY' }),
        { connectionId: other.connectionId, verdict: 'FIRST', reason: null },
      ]),
    );
  });

  test('gives its place to another number for somebody new, whose story says why', async () => {
    const limited = await linkLimited('lock');
    const other = await numbers.link(customer);
    const { errors } = await numbers.on.graphql(
      'mutation ($input: UpdateConnectionInput!) { updateConnection(input: $input) { id } }',
      { token: OPERATOR_TOKEN, variables: { input: { connectionId: limited.connectionId, priority: 1 } } },
    );
    expect(errors).toBeNull();
    const to = newNumber();
    const { messageId, attempts } = await numbers.send(customer, to);
    expect(attempts.at(-1)).toMatchObject({ status: 'sent' });
    expect(numbers.peer.messages.findLast(message => message.to === to)).toMatchObject({ from: other.number });
    const { data } = await numbers.on.graphql<{ message: { timeline: object[] } }>(
      'query ($id: String!) { message(id: $id) { timeline { reason errorMessage skipped { connectionId reason } } } }',
      { token: customer.tokens.unified, variables: { id: messageId } },
    );
    expect(JSON.stringify(data)).toContain(`write to nobody new, until ${limited.until}Z.`);
  });

  test('is told as locked until the end of its lock, and no longer', async () => {
    const { connectionId } = await linkLimited('lock');
    const read = async () => {
      const { data } = await numbers.on.graphql<{ connections: { session: { lockedUntil: string | null } }[] }>(
        '{ connections { session { lockedUntil } } }',
        { token: customer.tokens.management },
      );
      return data?.connections.map(({ session }) => session.lockedUntil);
    };
    expect(await read()).not.toEqual([null]);
    await passTime(numbers.on, [connectionId], HOUR_MS + 1_000);
    expect(await read()).toEqual([null]);
  });
});
