import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { linkNumber } from '../../support/chat-qr/linked.ts';
import { missingLibrary } from '../../support/chat-qr/peer-library.ts';
import { lidOf } from '../../support/chat-qr/person.ts';
import { newNumber, setUpNumbers } from '../../support/chat-qr/set-up-numbers.ts';
import { setUpOwnCustomer } from '../../support/fixtures.ts';

const SMS = { channels: ['CHAT_QR', 'SMS'], sender: 'ACME' };

describe.skipIf(missingLibrary() !== null)('a text over a QR-linked number', () => {
  const numbers = setUpNumbers();
  const customer = setUpOwnCustomer(numbers.on);

  async function statusOf(messageId: string) {
    const [row] = await numbers.on.sql<{ status: string }>('select status from attempts where message_id = $1', [
      toUuid(messageId),
    ]);
    return row?.status;
  }

  const untilStatus = (messageId: string, status: string) => expect.poll(() => statusOf(messageId)).toBe(status);

  test('is sent by its ack, then delivered, then read', async () => {
    await numbers.link(customer);
    const { messageId, attempts } = await numbers.send(customer, newNumber());
    expect(attempts).toMatchObject([{ status: 'sent' }]);
    const onChat = toUuid(attempts[0]?.attemptId ?? '')
      .replaceAll('-', '')
      .toUpperCase();
    numbers.peer.receipt(onChat, 'delivered');
    await untilStatus(messageId, 'delivered');
    numbers.peer.receipt(onChat, 'read');
    await untilStatus(messageId, 'read');
  });

  test('to nobody on the chat fails at once, and the next channel follows', async () => {
    const { connectionId } = await numbers.link(customer);
    const to = newNumber();
    numbers.peer.makeAbsent(to);
    const { attempts } = await numbers.send(customer, to, { ...SMS });
    expect(attempts).toMatchObject([
      { channel: 'CHAT_QR', status: 'failed', errorCode: 'recipient_not_found' },
      { channel: 'SMS', errorCode: 'no_route' },
    ]);
    const contacts = await numbers.on.sql('select person from chat_contacts where connection_id = $1', [
      toUuid(connectionId),
    ]);
    expect(contacts).toEqual([]);
  });

  test('without an ack is unknown, and goes by the next channel and never by this one again', async () => {
    await numbers.link(customer);
    const to = newNumber();
    numbers.peer.acknowledge(to, 'no');
    const { status, attempts } = await numbers.send(customer, to, { ...SMS });
    expect({ status, attempts }).toMatchObject({
      status: 'unknown',
      attempts: [{ channel: 'CHAT_QR', status: 'unknown', errorCode: 'no_ack' }, { channel: 'SMS' }],
    });
    expect(numbers.peer.messages.filter(message => message.to === to)).toHaveLength(1);
  });

  test('without an ack in time is proven by its delivery', async () => {
    await numbers.link(customer);
    const to = newNumber();
    numbers.peer.acknowledge(to, 'no');
    const { messageId } = await numbers.send(customer, to);
    const { id = '' } = numbers.peer.messages.find(message => message.to === to) ?? {};
    numbers.peer.acknowledgeLate(id);
    numbers.peer.receipt(id, 'delivered');
    await untilStatus(messageId, 'delivered');
  });

  test('to somebody new by a restricted number fails, locks it for new people, and goes on for those it knows', async () => {
    const { connectionId, number } = await numbers.link(customer);
    const [known, stranger, other] = [newNumber(), newNumber(), newNumber()];
    await numbers.send(customer, known);
    numbers.peer.acknowledge(stranger, { refusedBy: '463' });
    expect((await numbers.send(customer, stranger)).attempts).toMatchObject([{ errorCode: 'number_restricted' }]);
    await expect
      .poll(async () => (await numbers.session(connectionId)).locked_since, { timeout: 10_000 })
      .not.toBeNull();
    expect((await numbers.send(customer, other)).attempts).toMatchObject([
      { status: 'failed', errorCode: 'number_locked' },
    ]);
    expect((await numbers.send(customer, known)).attempts).toMatchObject([{ status: 'sent' }]);
    expect(numbers.peer.messages.filter(({ to }) => to === other)).toEqual([]);
    // The server says that nothing is locked, as it does now and then (waha#2219).
    const { limits_at: readAt } = await numbers.session(connectionId);
    numbers.peer.close(number, 515);
    await expect.poll(async () => (await numbers.session(connectionId)).limits_at).not.toEqual(readAt);
    expect((await numbers.session(connectionId)).locked_since).not.toBeNull();
    const notices = async () => {
      const { data } = await numbers.on.graphql<{ overview: { notices: object[] } }>(
        '{ overview { notices { kind subject name } } }',
        { token: customer.tokens.management },
      );
      return data?.overview.notices;
    };
    // Until the number is open again, another one says that it is down.
    await expect.poll(notices).toEqual([{ kind: 'NUMBER_LOCKED', subject: connectionId, name: 'Linked' }]);
  });

  test('of a person is taken in by the number that it came to', async () => {
    const { number } = await numbers.link(customer);
    const from = newNumber();
    await numbers.peer.write(from, number, { conversation: 'Is it open today?' }, { by: 'both' });
    const read = () =>
      numbers.on.sql<{ text: string; from_number: string; to_address: string; channel: string }>(
        'select text, from_number, to_address, channel from inbound_messages where from_number = $1',
        [from],
      );
    await expect
      .poll(read, { timeout: 10_000 })
      .toEqual([{ text: 'Is it open today?', from_number: from, to_address: number, channel: 'chat_qr' }]);
  });

  /** The newest text of a person, as the account sees it. */
  async function untilHeard(text: string) {
    const read = async () => {
      const { data } = await numbers.on.graphql<{ inboundMessages: { nodes: Record<string, string | null>[] } }>(
        '{ inboundMessages(first: 1) { nodes { messageId from fromUserId text replyTo } } }',
        { token: customer.tokens.unified },
      );
      return data?.inboundMessages.nodes[0];
    };
    await expect.poll(read).toMatchObject({ text });
    return (await read()) ?? {};
  }

  test('is named by the answer of a person who quotes it', async () => {
    const { number } = await numbers.link(customer);
    const person = newNumber();
    const { messageId } = await numbers.send(customer, person);
    const { id = '' } = numbers.peer.messages.at(-1) ?? {};
    const quote = { text: 'Yes', contextInfo: { stanzaId: id } };
    await numbers.peer.write(person, number, { extendedTextMessage: quote }, { by: 'both' });
    expect(await untilHeard('Yes')).toMatchObject({ from: person, replyTo: messageId });
  });

  test('of a person has the number that we write to, also after the phone was linked anew', async () => {
    const { connectionId, number } = await numbers.link(customer);
    const [person, written] = [newNumber(), newNumber()];
    numbers.peer.writeOtherwise(person, written);
    expect((await numbers.send(customer, person)).attempts).toMatchObject([{ status: 'sent' }]);
    numbers.peer.close(number, 401);
    await numbers.untilSession(connectionId, ({ state }) => state === 'relink');
    await linkNumber(numbers.on.app, numbers.peer, connectionId, number);
    await numbers.peer.write(written, number, { conversation: 'Stop it' }, { by: 'both' });
    expect(await untilHeard('Stop it')).toMatchObject({ from: person });
  });

  test('answers a person of Mexico who wrote first by the number that is dialled', async () => {
    const { number } = await numbers.link(customer);
    const [person, written] = ['525512340001', '5215512340001'];
    numbers.peer.writeOtherwise(person, written);
    await numbers.peer.write(written, number, { conversation: 'Hola' }, { by: 'both' });
    expect(await untilHeard('Hola')).toMatchObject({ from: person });
    expect((await numbers.send(customer, person)).attempts).toMatchObject([{ status: 'sent' }]);
    expect(numbers.peer.messages.at(-1)).toMatchObject({ from: number, to: written });
  });

  test('answers a person of whom the chat shows an id alone', async () => {
    const { number } = await numbers.link(customer);
    const person = newNumber();
    await numbers.peer.write(person, number, { conversation: 'Open?' }, { by: 'id' });
    const { messageId: replyTo, ...heard } = await untilHeard('Open?');
    expect(heard).toMatchObject({ from: null, fromUserId: `${lidOf(person)}@lid` });
    const { data, errors } = await numbers.on.graphql<{ sendMessage: { status: string } }>(
      'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { status } }',
      { token: customer.tokens.unified, variables: { input: { replyTo, text: 'Until six.' } } },
    );
    expect([data?.sendMessage.status, errors]).toEqual(['SENT', null]);
    expect(numbers.peer.messages.at(-1)).toMatchObject({ from: number, to: person, text: 'Until six.' });
  });
});
