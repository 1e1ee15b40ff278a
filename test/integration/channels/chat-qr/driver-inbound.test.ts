import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { node } from '../../../support/chat-qr/nodes.ts';
import { type PairingPeer, startPairingPeer } from '../../../support/chat-qr/pairing-peer.ts';
import { ID, NUMBER, type Parent, startLinked } from '../../../support/chat-qr/parent.ts';
import { missingLibrary, type PeerMessage } from '../../../support/chat-qr/peer-library.ts';
import { lidOf } from '../../../support/chat-qr/person.ts';

const PERSON = '4915550002222';

/** The texts that the driver told. */
function told(parent: Parent) {
  return parent.of('inbound').flatMap(({ messages }) => messages);
}

describe.skipIf(missingLibrary() !== null)('what people write to a QR chat', () => {
  test('comes in with the number, the id and the name of the person', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    const messageId = await peer.write(PERSON, NUMBER, { conversation: 'STOP' });
    await parent.heard('inbound');
    expect(told(parent)).toEqual([
      {
        messageId,
        number: PERSON,
        userId: `${lidOf(PERSON)}@lid`,
        username: `Person ${PERSON}`,
        kind: 'text',
        text: 'STOP',
        quotes: null,
      },
    ]);
    await peer.until(() => (peer.receipts.includes(messageId) ? true : null));
  });

  test('goes on in both directions by the same keys', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    await parent.send(ID, PERSON, 'Shall we?');
    await peer.write(PERSON, NUMBER, { conversation: 'Yes' });
    await parent.heard('inbound');
    await parent.send(ID, PERSON, 'Good');
    await peer.write(PERSON, NUMBER, { conversation: 'Bye' });
    await parent.heard('inbound', ID, 1);
    expect(told(parent).map(({ text }) => text)).toEqual(['Yes', 'Bye']);
    expect(peer.messages.map(({ text }) => text)).toEqual(['Shall we?', 'Good']);
  });

  test('has no number where the chat shows an id alone: digits of an id are none', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    await peer.write(PERSON, NUMBER, { conversation: 'Hello' }, { by: 'id' });
    await parent.heard('inbound');
    expect(told(parent)).toMatchObject([{ number: null, userId: `${lidOf(PERSON)}@lid`, text: 'Hello' }]);
  });

  test('has the number beside an id, and the one that was stored for it before', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    await peer.write(PERSON, NUMBER, { conversation: 'one' }, { by: 'both' });
    await parent.heard('inbound');
    await peer.write(PERSON, NUMBER, { conversation: 'two' }, { by: 'id' });
    await parent.heard('inbound', ID, 1);
    expect(told(parent)).toMatchObject([{ number: PERSON }, { number: PERSON }]);
  });

  test('has the number that we write to, also where the chat writes it otherwise', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    peer.writeOtherwise('5511988887777', '551188887777');
    await parent.send(ID, '5511988887777', 'Hello');
    await peer.write('551188887777', NUMBER, { conversation: 'STOP' });
    await parent.heard('inbound');
    expect(told(parent)).toMatchObject([{ number: '5511988887777', text: 'STOP' }]);
  });

  test('is told again until the gateway has it', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    let refusals = 0;
    parent.refuses = ({ type }) => type === 'inbound' && ++refusals === 1;
    await peer.write(PERSON, NUMBER, { conversation: 'STOP' });
    await parent.heard('inbound', ID, 1);
    expect(told(parent).map(({ text }) => text)).toEqual(['STOP', 'STOP']);
  });

  test('is told once more before the end of its session, where it was refused', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    let refusals = 0;
    parent.refuses = ({ type }) => type === 'inbound' && ++refusals === 1;
    await peer.write(PERSON, NUMBER, { conversation: 'STOP' });
    await parent.heard('inbound');
    parent.tell({ type: 'close', connectionId: ID, unlink: false });
    await parent.heard('closed', ID, 1);
    expect(told(parent).map(({ text }) => text)).toEqual(['STOP', 'STOP']);
  });

  test('does not hold up the end of its session for long, and is told on after it', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    parent.refuses = ({ type }) => type === 'inbound';
    await peer.write(PERSON, NUMBER, { conversation: 'STOP' });
    await parent.heard('inbound');
    parent.tell({ type: 'close', connectionId: ID, unlink: false });
    await parent.heard('closed', ID, 1);
    await parent.heard('inbound', ID, told(parent).length);
  });

  test('stays before what is written later, also where the socket is another one by then', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    let refusals = 0;
    // Longer than its socket waits for its news at its end.
    parent.refuses = ({ type }) => type === 'inbound' && ++refusals <= 2;
    await peer.write(PERSON, NUMBER, { conversation: 'START' });
    await parent.heard('inbound');
    peer.close(NUMBER, 428);
    await parent.heard('closed', ID, 1);
    await parent.open(ID);
    await peer.write(PERSON, NUMBER, { conversation: 'STOP' });
    await parent.until(() => (told(parent).some(({ text }) => text === 'STOP') ? true : null));
    expect(told(parent).map(({ text }) => text)).toEqual(['START', 'START', 'START', 'STOP']);
  });

  test('is nothing of groups, of the status, of channels, of calls, nor of ourselves', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    const plain = (from: string, more: Record<string, string> = {}) => {
      const text = peer.encode({ conversation: 'Not for us' });
      return node('message', { from, id: `X${from}`, t: '1', type: 'text', ...more }, [node('plaintext', {}, text)]);
    };
    const person = `${PERSON}@s.whatsapp.net`;
    peer.send(NUMBER, plain('120363000000000000@g.us', { participant: person }));
    peer.send(NUMBER, plain('status@broadcast', { participant: person }));
    peer.send(NUMBER, plain('120363000000000000@newsletter'));
    peer.send(NUMBER, plain(`${NUMBER}@s.whatsapp.net`, { recipient: person }));
    peer.send(
      NUMBER,
      node('call', { from: person, id: 'CALL', t: '1' }, [node('offer', { 'call-id': '1', 'call-creator': person })]),
    );
    await peer.write(PERSON, NUMBER, { protocolMessage: { type: 0, key: { id: 'gone' } } });
    await peer.write(PERSON, NUMBER, { conversation: 'For us' });
    await parent.heard('inbound');
    expect(told(parent).map(({ text }) => text)).toEqual(['For us']);
  });
});

describe.skipIf(missingLibrary() !== null)('what people write to a QR chat by their phones', () => {
  let peer: PairingPeer;
  let parent: Parent;
  beforeAll(async () => {
    peer = await startPairingPeer();
    parent = await startLinked(peer);
  });
  afterAll(async () => {
    await parent?.[Symbol.asyncDispose]();
    await peer?.[Symbol.asyncDispose]();
  });

  test.each<[string, PeerMessage, object]>([
    [
      'a text with a quote',
      { extendedTextMessage: { text: 'That one', contextInfo: { stanzaId: '3EB0AA' } } },
      { kind: 'text', text: 'That one', quotes: '3EB0AA' },
    ],
    ['a picture', { imageMessage: { caption: 'Look' } }, { kind: 'image', text: 'Look' }],
    ['a picture without words', { imageMessage: {} }, { kind: 'image', text: null }],
    ['a file', { documentMessage: { caption: 'Read' } }, { kind: 'document', text: 'Read' }],
    ['a voice', { audioMessage: { ptt: true } }, { kind: 'audio', text: null }],
    ['a place', { locationMessage: { name: 'Home' } }, { kind: 'location', text: 'Home' }],
    ['a contact', { contactMessage: { displayName: 'Ann' } }, { kind: 'contacts', text: 'Ann' }],
    [
      'a button',
      { buttonsResponseMessage: { selectedDisplayText: 'Yes', contextInfo: { stanzaId: '3EB0AA' } } },
      { kind: 'button', text: 'Yes', quotes: '3EB0AA' },
    ],
    [
      'a button of a template',
      { templateButtonReplyMessage: { selectedDisplayText: 'No' } },
      { kind: 'button', text: 'No' },
    ],
    ['a line of a list', { listResponseMessage: { title: 'Small' } }, { kind: 'list', text: 'Small' }],
    [
      'a reaction',
      { reactionMessage: { text: '👍', key: { id: '3EB0AA' } } },
      { kind: 'reaction', text: '👍', quotes: '3EB0AA' },
    ],
    [
      'a text that vanishes',
      { ephemeralMessage: { message: { conversation: 'Soon gone' } } },
      { kind: 'text', text: 'Soon gone' },
    ],
  ])('may be %s', async (_name, message, expected) => {
    const messageId = await peer.write(PERSON, NUMBER, message);
    expect(await parent.until(() => told(parent).find(one => one.messageId === messageId) ?? null)).toMatchObject(
      expected,
    );
  });
});
