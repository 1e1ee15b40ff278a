import { describe, expect, test } from 'vitest';
import { startPairingPeer } from '../../../support/chat-qr/pairing-peer.ts';
import { ID, NUMBER, type Parent, startLinked, startParent, TO } from '../../../support/chat-qr/parent.ts';
import { missingLibrary } from '../../../support/chat-qr/peer-library.ts';
import { lidOf } from '../../../support/chat-qr/person.ts';

const OTHER = '4915550003333';

describe.skipIf(missingLibrary() !== null)('a text by a QR chat', () => {
  test('is acknowledged with the id that the gateway gave it, and reported as delivered and read', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    expect(await parent.send(ID, TO, 'Your code is 123456 – ünïcode', { messageId: '3EB0AA' })).toEqual({
      kind: 'acked',
    });
    expect(peer.messages).toMatchObject([
      { id: '3EB0AA', from: NUMBER, to: TO, text: 'Your code is 123456 – ünïcode' },
    ]);
    peer.receipt('3EB0AA', 'delivered');
    expect(await parent.heard('reports')).toMatchObject({
      connectionId: ID,
      reports: [{ messageId: '3EB0AA', status: 'delivered', code: null }],
    });
    peer.receipt('3EB0AA', 'read');
    expect(await parent.heard('reports', ID, 1)).toMatchObject({
      reports: [{ messageId: '3EB0AA', status: 'read', code: null }],
    });
  });

  test('follows another to the same person by the same keys', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    for (const text of ['one', 'two', 'three'])
      expect(await parent.send(ID, TO, text, { isKnown: true })).toEqual({ kind: 'acked' });
    expect(peer.messages.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
  });

  test('goes to the id of a person whose number is not known', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    const to = { number: null, userId: `${lidOf(TO)}@lid` };
    expect(await parent.send(ID, TO, 'Hello', to)).toEqual({ kind: 'acked' });
    expect(peer.messages).toMatchObject([{ to: TO, text: 'Hello' }]);
  });

  test('does not leave for a number that is not on the chat', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    peer.makeAbsent(TO);
    expect(await parent.send(ID, TO, 'Hello')).toEqual({ kind: 'absent' });
    // Also where they were on it once.
    expect(await parent.send(ID, TO, 'Hello', { isKnown: true })).toEqual({ kind: 'absent' });
    expect(peer.messages).toEqual([]);
  });

  const cancel = (parent: Parent, messageId: string) => parent.tell({ type: 'cancel', connectionId: ID, messageId });

  test.each([
    ['its recipient is looked up', 'chat-address'],
    ['it is sealed', 'session'],
  ])('does not leave where nobody waits for it any more while %s', async (_when, kind) => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    await parent.send(ID, TO, 'first', { isKnown: true });
    const release = parent.hold(question => question.type === 'get' && question.kind === kind);
    // Nothing is kept of another person yet.
    const sent = parent.send(ID, OTHER, 'second', { isKnown: true, messageId: '3EB0AA' });
    await parent.held();
    cancel(parent, '3EB0AA');
    expect(await sent).toEqual({ kind: 'unsent' });
    release();
    expect(await parent.send(ID, OTHER, 'third', { isKnown: true })).toEqual({ kind: 'acked' });
    expect(peer.messages.map(({ text }) => text)).toEqual(['first', 'third']);
  });

  test.each([
    [undefined, 'sent', null],
    ['463', 'failed', '463'],
  ])(
    'is reported where the word of the server comes after nobody waits for it: %s',
    async (refusedBy, status, code) => {
      await using peer = await startPairingPeer();
      await using parent = await startLinked(peer);
      peer.acknowledge(TO, 'no');
      const sent = parent.send(ID, TO, 'Hello', { messageId: '3EB0AA' });
      await peer.taken(1);
      cancel(parent, '3EB0AA');
      expect(await sent).toEqual({ kind: 'unknown' });
      peer.acknowledgeLate('3EB0AA', refusedBy);
      expect(await parent.heard('reports')).toMatchObject({ reports: [{ messageId: '3EB0AA', status, code }] });
    },
  );

  test('goes to the number as the chat writes it, also where it is known', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    peer.writeOtherwise('5511988887777', '551188887777');
    expect(await parent.send(ID, '5511988887777', 'one')).toEqual({ kind: 'acked' });
    parent.tell({ type: 'close', connectionId: ID, unlink: false });
    await parent.heard('closed', ID, 1);
    await parent.open(ID);
    expect(await parent.send(ID, '5511988887777', 'two', { isKnown: true })).toEqual({ kind: 'acked' });
    expect(peer.messages.map(({ to, text }) => [to, text])).toEqual([
      ['551188887777', 'one'],
      ['551188887777', 'two'],
    ]);
  });

  test('goes to the number as the chat writes it where the number was unlinked, and has forgotten that', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    peer.writeOtherwise('5511988887777', '551188887777');
    expect(await parent.send(ID, '5511988887777', 'Hello', { isKnown: true })).toEqual({ kind: 'acked' });
    expect(peer.messages).toMatchObject([{ to: '551188887777', text: 'Hello' }]);
  });

  test('is refused by the code of the server', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    peer.acknowledge(TO, { refusedBy: '463' });
    expect(await parent.send(ID, TO, 'Hello')).toEqual({ kind: 'refused', code: '463' });
    expect(parent.of('reports')).toEqual([]);
  });

  test('is unknown where nobody acknowledges it, and reported where somebody does so later', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    peer.acknowledge(TO, 'no');
    const how = (messageId: string) => ({ messageId, ackMs: 50 });
    expect(await parent.send(ID, TO, 'one', how('3EB0AA'))).toEqual({ kind: 'unknown' });
    expect(await parent.send(ID, TO, 'two', how('3EB0BB'))).toEqual({ kind: 'unknown' });
    await peer.taken(2);
    peer.acknowledgeLate('3EB0AA');
    peer.acknowledgeLate('3EB0BB', '463');
    await parent.heard('reports', ID, 1);
    expect(parent.of('reports').flatMap(({ reports }) => reports)).toEqual([
      { messageId: '3EB0AA', status: 'sent', code: null },
      { messageId: '3EB0BB', status: 'failed', code: '463' },
    ]);
  });

  test('is unknown where the socket closes before it is acknowledged', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    peer.acknowledge(TO, 'no');
    const sent = parent.send(ID, TO, 'Hello');
    await peer.taken(1);
    peer.close(NUMBER, 428);
    expect(await sent).toEqual({ kind: 'unknown' });
  });

  test('is unknown where the lease is over before it is acknowledged', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    peer.acknowledge(TO, 'no');
    const sent = parent.send(ID, TO, 'Hello');
    await peer.taken(1);
    parent.tell({ type: 'lease', connectionId: ID, leaseMs: 1 });
    expect(await sent).toEqual({ kind: 'unknown' });
  });

  test('is unsent by a number that is not open', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startParent({ env: peer.env });
    expect(await parent.send(ID, TO, 'Hello')).toEqual({ kind: 'unsent' });
  });

  test('is sent again to a device that could not read it', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    await parent.send(ID, TO, 'Hello', { messageId: '3EB0AA' });
    peer.askAgain('3EB0AA');
    await peer.taken(2);
    expect(peer.messages.map(({ id, text }) => [id, text])).toEqual([
      ['3EB0AA', 'Hello'],
      ['3EB0AA', 'Hello'],
    ]);
  });

  test('is sent again to a device that asks for it after the number was opened anew', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    await parent.send(ID, TO, 'Hello', { messageId: '3EB0AA' });
    peer.close(NUMBER, 428);
    await parent.heard('closed', ID, 1);
    await parent.open(ID);
    peer.askAgain('3EB0AA');
    await peer.taken(2);
    expect(peer.messages.map(({ id, text }) => [id, text])).toEqual([
      ['3EB0AA', 'Hello'],
      ['3EB0AA', 'Hello'],
    ]);
  });

  test('is one of many that go at once', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    const people = Array.from({ length: 20 }, (_, index) => `49155500030${index + 10}`);
    const outcomes = await Promise.all(people.map(to => parent.send(ID, to, `Hello ${to}`)));
    expect(outcomes).toEqual(people.map(() => ({ kind: 'acked' })));
    expect(peer.messages.map(({ to, text }) => [to, text]).sort()).toEqual(people.map(to => [to, `Hello ${to}`]));
  });
});
