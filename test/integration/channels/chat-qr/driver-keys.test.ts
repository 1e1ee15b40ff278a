import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { News } from '../../../../src/channels/chat-qr/driver/protocol.ts';
import { type PairingPeer, startPairingPeer } from '../../../support/chat-qr/pairing-peer.ts';
import { ID, NUMBER, type Parent, startLinked, startParent, TO } from '../../../support/chat-qr/parent.ts';
import { missingLibrary } from '../../../support/chat-qr/peer-library.ts';
import { lidOf } from '../../../support/chat-qr/person.ts';
import { REPOSITORY } from '../../../support/repository.ts';

const UNGUARDED = join(REPOSITORY, 'test/support/chat-qr/unguarded-driver.ts');

/** An address by which the library keeps a session that it has: by a number, it makes another in each process. */
const BY_ID = { number: null, userId: `${lidOf(TO)}@lid` };

/** Whether a question stores the step of a key by which a text is sealed. */
function isStep(question: News): boolean {
  return question.type === 'set' && question.keys.some(([kind]) => kind === 'session');
}

/** Kills a driver. Another one opens the number by what was stored. */
async function successor(killed: Parent, peer: PairingPeer): Promise<Parent> {
  await killed[Symbol.asyncDispose]();
  const parent = await startParent({ env: peer.env });
  parent.takeOver(killed);
  await parent.open(ID);
  return parent;
}

/** How many of three texts came to the peer after the step of their key was stored. */
async function storedBefore(parent: Parent, peer: PairingPeer): Promise<number> {
  let count = 0;
  for (const text of ['one', 'two', 'three']) {
    const before = parent.next();
    expect(await parent.send(ID, TO, text, { isKnown: true })).toEqual({ kind: 'acked' });
    const arrived = peer.messages.at(-1)?.order ?? 0;
    const stored = parent.sets.filter(
      ({ order, kinds }) => kinds.includes('session') && order > before && order < arrived,
    );
    if (stored.length > 0) count += 1;
  }
  return count;
}

describe.skipIf(missingLibrary() !== null)('the keys of a QR chat', () => {
  test('are stored before the text that they seal arrives', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    await parent.send(ID, TO, 'first', { isKnown: true });
    expect(await storedBefore(parent, peer)).toBe(3);
  });

  test('would be stored too late without our keeper, and the test of it notices', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer, { file: UNGUARDED });
    await parent.send(ID, TO, 'first', { isKnown: true });
    // The library stores just after it has sent: now and then that is faster than the server.
    expect(await storedBefore(parent, peer)).toBeLessThan(3);
  });

  test('hold a text back until they are stored', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    await parent.send(ID, TO, 'first', { isKnown: true });
    const release = parent.hold(isStep);
    const sent = parent.send(ID, TO, 'second', { isKnown: true });
    await parent.held();
    const released = parent.next();
    release();
    expect(await sent).toEqual({ kind: 'acked' });
    expect(peer.messages.at(-1)?.order).toBeGreaterThan(released);
  });

  test('leave nothing to send where they cannot be stored', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    await parent.send(ID, TO, 'first', { isKnown: true });
    parent.refuses = ({ type }) => type === 'set';
    expect(await parent.send(ID, TO, 'second', { isKnown: true })).toEqual({ kind: 'unsent' });
    expect(await parent.heard('closed', ID, 1)).toMatchObject({ code: null });
    parent.refuses = () => false;
    await parent.open(ID);
    expect(await parent.send(ID, TO, 'third', { isKnown: true })).toEqual({ kind: 'acked' });
    expect(peer.messages.map(({ text }) => text)).toEqual(['first', 'third']);
  });

  test('leave nothing to send where they cannot be read', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    await parent.send(ID, TO, 'first', { isKnown: true });
    parent.tell({ type: 'close', connectionId: ID, unlink: false });
    await parent.heard('closed', ID, 1);
    await parent.open(ID);
    parent.refuses = ({ type }) => type === 'get';
    expect(await parent.send(ID, TO, 'second', { isKnown: true })).toEqual({ kind: 'unsent' });
    expect(await parent.heard('closed', ID, 2)).toMatchObject({ code: null });
    expect(peer.messages.map(({ text }) => text)).toEqual(['first']);
  });

  test.each(['before its step is stored', 'when it arrives', 'when it is acknowledged'])(
    'are used once where the process is killed during a text: %s',
    async moment => {
      await using peer = await startPairingPeer();
      await using killed = await startLinked(peer);
      await killed.send(ID, TO, 'first', BY_ID);
      if (moment === 'before its step is stored') killed.hold(isStep);
      const sent = killed.send(ID, TO, 'second', BY_ID);
      await (moment === 'before its step is stored'
        ? killed.held()
        : moment === 'when it arrives'
          ? peer.taken(2)
          : sent);
      await using parent = await successor(killed, peer);
      expect(await parent.send(ID, TO, 'third', BY_ID)).toEqual({ kind: 'acked' });
      expect(peer.messages.at(-1)?.text).toBe('third');
      expect(new Set(peer.counters).size).toBe(peer.counters.length);
    },
  );

  test('would be used twice without our keeper, and the test of it notices', async () => {
    await using peer = await startPairingPeer();
    await using killed = await startLinked(peer, { file: UNGUARDED });
    await killed.send(ID, TO, 'first', BY_ID);
    // Its step is stored after it has left, and before this is answered.
    await killed.askLimits(ID);
    killed.hold(isStep);
    void killed.send(ID, TO, 'second', BY_ID);
    await peer.taken(2);
    await using parent = await successor(killed, peer);
    void parent.send(ID, TO, 'third', BY_ID);
    await peer.until(() => (peer.counters.length === 3 ? true : null));
    expect(new Set(peer.counters).size).toBe(2);
  });

  test('stand in nothing that the process prints', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer, { isHeard: true });
    await parent.send(ID, TO, 'Your code is 123456', { messageId: '3EB0AA' });
    peer.askAgain('3EB0AA');
    await peer.taken(2);
    await peer.write(TO, NUMBER, { conversation: 'STOP' });
    await parent.heard('inbound');
    peer.close(NUMBER, 500);
    await parent.heard('closed', ID, 1);
    parent.child.disconnect();
    await parent.ended();
    expect(parent.output).toBe('');
  });
});
