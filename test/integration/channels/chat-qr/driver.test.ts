import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PairingPeer, startPairingPeer } from '../../../support/chat-qr/pairing-peer.ts';
import { ID, NUMBER, Parent, startLinked, startParent, TO } from '../../../support/chat-qr/parent.ts';
import { missingLibrary } from '../../../support/chat-qr/peer-library.ts';

describe.skipIf(missingLibrary() !== null)('the driver of QR chats', () => {
  test('links a number by its picture, and opens it by the stored credentials', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startParent({ env: peer.env });
    const code = await parent.link(ID, 'QR', NUMBER);
    expect(code).toMatchObject({ method: 'QR', code: expect.stringMatching(/^https:\/\/wa\.me\//), lastsMs: 60_000 });
    expect(parent.creds.size).toBe(0);
    peer.scan(NUMBER, code.code);
    expect(await parent.heard('closed')).toEqual({ type: 'closed', connectionId: ID, code: 515 });
    expect(parent.of('paired')).toEqual([{ type: 'paired', connectionId: ID, number: NUMBER }]);
    await parent.open(ID);
    expect(peer.socketsOf(NUMBER)).toBe(1);
    expect([...(parent.keys.get(ID)?.keys() ?? [])].filter(key => key.startsWith('pre-key/'))).toHaveLength(812);
  });

  test('links a number by a code that is typed into the phone', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startParent({ env: peer.env });
    const { code, method, lastsMs } = await parent.link(ID, 'PAIRING_CODE', NUMBER);
    expect({ code, method, lastsMs }).toEqual({
      code: expect.stringMatching(/^[0-9A-Z]{8}$/),
      method: 'PAIRING_CODE',
      lastsMs: 160_000,
    });
    await peer.type(NUMBER, code);
    expect(await parent.heard('closed')).toMatchObject({ code: 515 });
    expect(parent.of('paired')).toMatchObject([{ number: NUMBER }]);
    await parent.open(ID);
    expect(await parent.send(ID, TO, 'Hello')).toEqual({ kind: 'acked' });
  });

  test('gives up a link that nobody scans', async () => {
    await using peer = await startPairingPeer();
    peer.pictures = 0;
    await using parent = await startParent({ env: peer.env });
    parent.tell({
      type: 'open',
      connectionId: ID,
      creds: null,
      link: { method: 'QR', number: NUMBER },
      leaseMs: 60_000,
    });
    expect(await parent.heard('closed')).toEqual({ type: 'closed', connectionId: ID, code: 408 });
  });

  test('stores nothing of a device before the phone has signed for it', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startParent({ env: peer.env });
    await parent.link(ID, 'PAIRING_CODE', NUMBER);
    expect(parent.of('set')).toEqual([]);
  });

  test('tells that a login is refused', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    peer.close(NUMBER, 428);
    await parent.heard('closed', ID, 1);
    peer.refuseLogins(NUMBER, 403);
    void parent.open(ID);
    expect(await parent.heard('closed', ID, 2)).toMatchObject({ code: 403 });
  });

  test('tells a bad session where the credentials cannot be read', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startParent({ env: peer.env });
    parent.creds.set(ID, '{"noiseKey":');
    void parent.open(ID);
    expect(await parent.heard('closed')).toEqual({ type: 'closed', connectionId: ID, code: 500 });
  });

  test('has one socket for a number, also where it is opened twice', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    await parent.open(ID);
    expect(parent.of('closed', ID)).toMatchObject([{ code: 515 }, { code: null }]);
    await peer.until(() => (peer.socketsOf(NUMBER) === 1 ? true : null));
    expect(peer.logins.get(NUMBER)).toBe(2);
  });

  test('closes a socket by wish, and says nothing of it to the chat', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    parent.tell({ type: 'close', connectionId: ID, unlink: false });
    expect(await parent.heard('closed', ID, 1)).toMatchObject({ code: null });
    await peer.until(() => (peer.socketsOf(NUMBER) === 0 ? true : null));
    expect(peer.devicesOf(NUMBER)).toBe(1);
  });

  test('unlinks a device', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    parent.tell({ type: 'close', connectionId: ID, unlink: true });
    expect(await parent.heard('closed', ID, 1)).toMatchObject({ code: null });
    await peer.until(() => (peer.devicesOf(NUMBER) === 0 ? true : null));
  });

  test('closes a socket whose lease is over, and sends nothing after it', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    parent.tell({ type: 'lease', connectionId: ID, leaseMs: 100 });
    expect(await parent.heard('closed', ID, 1)).toMatchObject({ code: null });
    expect(await parent.send(ID, TO, 'Hello')).toEqual({ kind: 'unsent' });
    await peer.until(() => (peer.socketsOf(NUMBER) === 0 ? true : null));
    expect(peer.messages).toEqual([]);
  });

  test('ends with its gateway', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    parent.child.disconnect();
    await parent.ended();
    await peer.until(() => (peer.socketsOf(NUMBER) === 0 ? true : null));
  });

  test('links ten numbers in 45 MB more than none, and holds them in 60', async () => {
    await using peer = await startPairingPeer();
    await using linking = await startParent({ env: peer.env });
    const before = linking.residentMegabytes();
    const ids = Array.from({ length: 10 }, (_, index) => `${ID} ${index}`);
    for (const [index, id] of ids.entries()) await linking.linkByPicture(peer, id, `${NUMBER}${index}`);
    const linked = linking.residentMegabytes() - before;
    await using parent = await startParent({ env: peer.env });
    parent.takeOver(linking);
    const without = parent.residentMegabytes();
    for (const id of ids) await parent.open(id);
    for (const id of ids) expect(await parent.send(id, TO, 'Hello')).toEqual({ kind: 'acked' });
    // With the room that Node takes by itself for what is new, a link is at 60 to 80.
    expect(linked).toBeLessThan(45);
    expect(parent.residentMegabytes() - without).toBeLessThan(60);
  });

  test('ends where the folder has no library', async () => {
    await using parent = new Parent({ env: {}, folder: '/nonexistent' });
    await parent.ended();
    expect(parent.news).toEqual([]);
  });

  test('tells the limits that the server has set', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    expect(await parent.askLimits(ID)).toEqual({
      isLocked: false,
      lockedUntilMs: null,
      newChats: 30,
      newChatsUsed: 2,
      newChatsUntilMs: null,
    });
    const used = { newChats: 30, newChatsUsed: 30, newChatsUntilMs: 1_900_000_060_000 };
    peer.limits = { isLocked: true, lockedUntilMs: 1_900_000_000_000, ...used };
    expect(await parent.askLimits(ID)).toEqual(peer.limits);
  });

  test('tells no limits where the server is silent', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startLinked(peer);
    peer.limits = null;
    const asked = parent.askLimits(ID);
    peer.close(NUMBER, 428);
    expect(await asked).toBeNull();
  });
});

describe.skipIf(missingLibrary() !== null)('the end of a socket of a QR chat', () => {
  let peer: PairingPeer;
  let parent: Parent;
  beforeAll(async () => {
    peer = await startPairingPeer();
    parent = await startLinked(peer);
    peer.close(NUMBER, 503);
    await parent.heard('closed', ID, 1);
  });
  afterAll(async () => {
    await parent?.[Symbol.asyncDispose]();
    await peer?.[Symbol.asyncDispose]();
  });

  test.each([515, 428, 408, 503, 440, 401, 411, 403, 500, 405])('is told by the code of the server: %i', async code => {
    const before = parent.of('closed').length;
    await parent.open(ID);
    peer.close(NUMBER, code);
    expect(await parent.heard('closed', ID, before)).toEqual({ type: 'closed', connectionId: ID, code });
    expect(await parent.send(ID, TO, 'Hello')).toEqual({ kind: 'unsent' });
  });
});
