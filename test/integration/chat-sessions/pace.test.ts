import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { suppress } from '../../../src/modules/suppressions/manage-suppressions.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { missingLibrary } from '../../support/chat-qr/peer-library.ts';
import { delayTurn, newNumber, setUpNumbers } from '../../support/chat-qr/set-up-numbers.ts';
import { setUpOwnCustomer } from '../../support/fixtures.ts';

describe.skipIf(missingLibrary() !== null)('the pace of a QR-linked number', () => {
  const numbers = setUpNumbers();
  const customer = setUpOwnCustomer(numbers.on);

  const metBy = (connectionId: string) =>
    numbers.on.sql('select person from chat_contacts where connection_id = $1', [toUuid(connectionId)]);

  const codeOf = async (to: string) => (await numbers.send(customer, to)).attempts[0]?.errorCode;

  async function age(connectionId: string, days: number): Promise<void> {
    await numbers.on.sql(
      `update chat_sessions set linked_at = now() - make_interval(days => $2), turns = '{}' where connection_id = $1`,
      [toUuid(connectionId), days],
    );
  }

  test('lets a new number write to a seventh of its new people, and to all of them after a week', async () => {
    const { connectionId } = await numbers.link(customer, { newPeoplePerDay: 7 });
    const first = newNumber();
    expect(await codeOf(first)).toBeNull();
    expect(await codeOf(newNumber())).toBe('new_people_limit');
    await age(connectionId, 0);
    expect(await codeOf(first)).toBeNull();
    await age(connectionId, 7);
    expect(await codeOf(newNumber())).toBeNull();
  });

  test('gives no turn beyond those of a minute', async () => {
    const { connectionId } = await numbers.link(customer, { perMinute: 2 });
    const to = newNumber();
    await numbers.on.sql(
      `update chat_sessions set turns = array[now() - interval '30 seconds', now() - interval '20 seconds'] where connection_id = $1`,
      [toUuid(connectionId)],
    );
    expect(await codeOf(to)).toBe('throttled');
    await numbers.on.sql(
      `update chat_sessions set turns = array[now() - interval '61 seconds', now() - interval '20 seconds'] where connection_id = $1`,
      [toUuid(connectionId)],
    );
    expect(await codeOf(to)).toBeNull();
  });

  test('gives four of five texts at once a turn at most, and the others go by the next channel', async () => {
    await numbers.link(customer);
    const people = Array.from({ length: 5 }, newNumber);
    const more = { channels: ['CHAT_QR', 'SMS'], sender: 'ACME' };
    const sends = await Promise.all(people.map(to => numbers.send(customer, to, more)));
    const waited = sends.filter(({ attempts }) => attempts[0]?.status !== 'sent');
    // Four gaps are four seconds at least, and no text waits longer.
    expect(waited).not.toEqual([]);
    for (const { attempts } of waited)
      expect(attempts).toMatchObject([
        { channel: 'CHAT_QR', status: 'failed', errorCode: 'throttled' },
        { channel: 'SMS', errorCode: 'no_route' },
      ]);
  });

  test('keeps turns a second apart at least, and no two gaps alike', async () => {
    const { connectionId } = await numbers.link(customer);
    const to = newNumber();
    const gapOfTwo = async () => {
      await numbers.on.sql(`update chat_sessions set turns = '{}' where connection_id = $1`, [toUuid(connectionId)]);
      expect(await Promise.all([codeOf(to), codeOf(to)])).toEqual([null, null]);
      const [row] = await numbers.on.sql<{ gap: number }>(
        'select extract(epoch from turns[2] - turns[1])::float8 * 1000 as gap from chat_sessions where connection_id = $1',
        [toUuid(connectionId)],
      );
      return row?.gap ?? 0;
    };
    const gaps = [await gapOfTwo(), await gapOfTwo()];
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
    expect(gaps[0]).not.toBe(gaps[1]);
  });

  test('lets a text leave at its turn, unless its person has stopped meanwhile', async () => {
    const { connectionId } = await numbers.link(customer, { perMinute: 1 });
    const to = newNumber();
    await delayTurn(numbers.on, connectionId);
    const code = codeOf(to);
    await expect.poll(async () => (await numbers.session(connectionId)).turns).toHaveLength(2);
    await suppress(numbers.on.app.makeCtx(customer.actor('unified'), 'test'), { to: `+${to}` });
    expect(await code).toBe('recipient_suppressed');
    expect(numbers.peer.messages.filter(message => message.to === to)).toEqual([]);
  });

  test('stops at what the server lets the number begin', async () => {
    const { connectionId } = await numbers.link(customer);
    const known = newNumber();
    expect(await codeOf(known)).toBeNull();
    await numbers.on.sql(
      `update chat_sessions set new_chats = 5, new_chats_used = 5, turns = '{}' where connection_id = $1`,
      [toUuid(connectionId)],
    );
    expect(await codeOf(newNumber())).toBe('number_capped');
    expect(await codeOf(known)).toBeNull();
  });

  test('counts nobody whom the server refused a text', async () => {
    const { connectionId } = await numbers.link(customer, { newPeoplePerDay: 7 });
    const refused = newNumber();
    numbers.peer.acknowledge(refused, { refusedBy: '479' });
    expect(await codeOf(refused)).toBe('chat_479');
    await expect.poll(() => metBy(connectionId)).toEqual([]);
    expect(await codeOf(newNumber())).toBeNull();
    expect(await codeOf(newNumber())).toBe('new_people_limit');
  });

  test('counts nobody whose text did not leave', async () => {
    const { connectionId, number } = await numbers.link(customer);
    numbers.peer.refuseLogins(number, 503);
    numbers.peer.close(number, 428);
    await numbers.untilSession(connectionId, row => row.is_open === false);
    const { data } = await numbers.on.graphql<{ testConnection: { code: string } }>(
      'mutation ($connectionId: String!, $to: String!) { testConnection(connectionId: $connectionId, to: $to) { code } }',
      { token: OPERATOR_TOKEN, variables: { connectionId, to: newNumber() } },
    );
    expect(data?.testConnection.code).toBe('not_connected');
    await expect.poll(() => metBy(connectionId)).toEqual([]);
  });

  test('is told with what the server lets the number do', async () => {
    const { connectionId } = await numbers.link(customer);
    await numbers.send(customer, newNumber());
    const read = async () => {
      const { data } = await numbers.on.graphql<{ connections: { connectionId: string; session: object }[] }>(
        '{ connections { connectionId session { state isOpen newChats { allowed used until } pace { sentLastMinute perMinute newPeople newPeopleAllowed } } } }',
        { token: customer.tokens.management },
      );
      return data?.connections.find(one => one.connectionId === connectionId)?.session;
    };
    await expect.poll(read, { timeout: 10_000 }).toEqual({
      state: 'LINKED',
      isOpen: true,
      // Two as the server told, and the one since.
      newChats: { allowed: 30, used: 3, until: null },
      pace: { sentLastMinute: 1, perMinute: 60, newPeople: 1, newPeopleAllowed: 143 },
    });
  });
});
