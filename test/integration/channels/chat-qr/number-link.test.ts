import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LinkMethod } from '../../../../src/channels/chat-qr/driver/protocol.ts';
import { driverOf } from '../../../../src/channels/chat-qr/driver-process.ts';
import { ChatNumber, LINK_TIMES, type LinkTimes } from '../../../../src/channels/chat-qr/number.ts';
import type { SessionChange, SessionHost } from '../../../../src/channels/session.ts';
import { newId } from '../../../../src/kernel/ids.ts';
import { type PairingPeer, startPairingPeer } from '../../../support/chat-qr/pairing-peer.ts';
import { BAILEYS_DIR, missingLibrary } from '../../../support/chat-qr/peer-library.ts';
import { newNumber } from '../../../support/chat-qr/set-up-numbers.ts';
import { Watched } from '../../../support/smpp/watched.ts';

/** Longer than any link. */
const LONG_MS = 600_000;

/** The processes of the driver, on Linux. */
function driverPids(): string[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ');
  return children.filter(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('driver'));
}

describe.skipIf(missingLibrary() !== null)('a link of a QR-linked number', () => {
  let peer: PairingPeer;
  beforeAll(async () => {
    peer = await startPairingPeer();
    Object.assign(process.env, peer.env);
  });
  afterAll(async () => {
    for (const name of Object.keys(peer.env)) delete process.env[name];
    await peer[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    peer.stalls = 0;
  });
  afterEach(() => void vi.useRealTimers());

  /** Begins to link a number, whose keys are kept in memory. */
  function begin(
    method: LinkMethod,
    times: Partial<LinkTimes>,
    store: Partial<Pick<SessionHost, 'keep'>> = {},
    receive = async () => undefined,
  ) {
    const [connectionId, number, keys, heard] = [newId('con'), newNumber(), new Map<string, string>(), new Watched()];
    const stored: { creds: string | null } = { creds: null };
    const changes: SessionChange[] = [];
    const link = new ChatNumber(
      {
        connectionId,
        number,
        driver: driverOf(BAILEYS_DIR),
        services: { receive, hear: async () => undefined },
        times: { ...LINK_TIMES, ...times },
        host: {
          get: async (kind, ids) =>
            Object.fromEntries(
              ids.flatMap(id => (keys.has(`${kind} ${id}`) ? [[id, keys.get(`${kind} ${id}`) ?? '']] : [])),
            ),
          keep: async (rows, creds) => {
            stored.creds = creds ?? stored.creds;
            for (const [kind, id, value] of rows)
              if (value === null) keys.delete(`${kind} ${id}`);
              else keys.set(`${kind} ${id}`, value);
          },
          ...store,
          onChange: change => {
            changes.push(change);
            heard.touch();
          },
        },
      },
      { creds: null, link: method, leaseMs: LONG_MS },
    );
    const until = <Kind extends SessionChange['kind']>(kind: Kind) =>
      heard.until(
        () => changes.find((change): change is Extract<SessionChange, { kind: Kind }> => change.kind === kind) ?? null,
      );
    return { link, connectionId, number, stored, changes, heard, until };
  }

  test.skipIf(process.platform !== 'linux')(
    'hands the library no setting of the gateway, not even in /proc',
    async () => {
      const { link, until } = begin('QR', {});
      await until('code');
      const namesOf = (pid: string) =>
        readFileSync(`/proc/${pid}/environ`, 'utf8')
          .split('\0')
          .flatMap(line => (line ? [line.split('=')[0]] : []));
      const drivers = driverPids();
      expect(drivers).toHaveLength(1);
      const own = /^(PATH|TZ|LD_LIBRARY_PATH|NODE_.*|SSL_CERT_.*)$/;
      expect(namesOf(drivers[0] ?? '').filter(name => name && !own.test(name) && !(name in peer.env))).toEqual([]);
      await link.end(false);
    },
  );

  test.each(['QR', 'PAIRING_CODE'] as const)('that stalls gets a fresh code by %s, and is linked', async method => {
    peer.stalls = 1;
    const { link, number, changes, until } = begin(method, { stallMs: 5_000 });
    const { code } = await until('code');
    if (method === 'QR') peer.scan(number, code);
    else await peer.type(number, code);
    await until('open');
    expect(changes.filter(({ kind }) => kind === 'code')).toHaveLength(1);
    expect(peer.stalls).toBeLessThan(0);
    await link.end(false);
  });

  test('whose code no phone takes ends at its time, and says why', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { link, changes, until } = begin('QR', {});
    await until('code');
    vi.advanceTimersByTime(LONG_MS);
    expect((await until('unlinked')).error).toMatch('No phone has taken the code in time.');
    expect(changes.map(({ kind }) => kind)).toEqual(['code', 'unlinked']);
    await link.end(false);
  });

  test('whose code another phone takes says so, and links no device', async () => {
    const keep = vi.fn<SessionHost['keep']>(async () => undefined);
    const { link, until } = begin('QR', {}, { keep });
    const other = newNumber();
    peer.scan(other, (await until('code')).code);
    expect((await until('unlinked')).error).toMatch('The phone that took the code has another number');
    await peer.until(() => (peer.socketsOf(other) === 0 ? true : null));
    expect(peer.devicesOf(other)).toBe(0);
    expect(keep).not.toHaveBeenCalled();
    await link.end(false);
  });

  test('whose phone signs what cannot be stored ends, and links no device', async () => {
    const keep = () => Promise.reject(new Error('The database is away.'));
    const { number, until } = begin('QR', {}, { keep });
    peer.scan(number, (await until('code')).code);
    expect(await until('ended')).toMatchObject({
      state: 'relink',
      wipes: true,
      error: expect.stringMatching('stored'),
    });
    await peer.until(() => (peer.socketsOf(number) === 0 ? true : null));
    expect(peer.devicesOf(number)).toBe(0);
  });

  test.skipIf(process.platform !== 'linux')(
    'whose driver dies while its first credentials are stored goes on by them',
    async () => {
      const gone = Promise.withResolvers<void>();
      let detach = (): void => undefined;
      const keep: SessionHost['keep'] = async (_keys, creds) => {
        if (creds === null) return;
        // Told after the number is.
        detach = driverOf(BAILEYS_DIR).attach('', ({ type }) => type === 'gone' && gone.resolve());
        for (const pid of driverPids()) process.kill(Number(pid), 'SIGKILL');
        await gone.promise;
      };
      const { link, number, changes, until } = begin('QR', {}, { keep });
      peer.scan(number, (await until('code')).code);
      // The phone had no answer, so it has no such device.
      expect(await until('ended')).toMatchObject({ state: 'relink' });
      expect(changes.map(({ kind }) => kind)).toEqual(['code', 'linked', 'ended']);
      await link.end(false);
      detach();
    },
  );

  test('that gets no code, however often it begins anew, ends at its time and says why', async () => {
    peer.stalls = Number.POSITIVE_INFINITY;
    const { link, changes, until } = begin('QR', { linkMs: 3_000, stallMs: 500 });
    expect((await until('unlinked')).error).toMatch('WhatsApp has given no code in time.');
    expect(changes).toHaveLength(1);
    await link.end(false);
  });

  test('that a phone has taken does not end by its time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { link, number, changes, until } = begin('QR', {});
    peer.scan(number, (await until('code')).code);
    // The server ends the socket of a link, and it is opened again.
    await until('down');
    vi.advanceTimersByTime(LONG_MS);
    await until('open');
    expect(changes.map(({ kind }) => kind)).toEqual(['code', 'linked', 'down', 'open']);
    await link.end(false);
  });

  test('that was made goes on: what failed before its socket was open for a minute counts no more', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { link, number, changes, heard, until } = begin('QR', {});
    peer.scan(number, (await until('code')).code);
    await until('down');
    vi.advanceTimersByTime(1);
    await until('open');
    const told = <Kind extends SessionChange['kind']>(kind: Kind) =>
      changes.filter((change): change is Extract<SessionChange, { kind: Kind }> => change.kind === kind);
    let aheadMs = 0;
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
    /** Has the server close the socket, and answers when it is opened again, as it is by then. */
    async function close(code: number): Promise<number> {
      const [downs, opens] = [told('down').length, told('open').length];
      peer.close(number, code);
      const change = await heard.until(() => told('down')[downs] ?? told('ended')[0] ?? null);
      if (change.kind === 'ended') throw new Error(change.error);
      const { retryInMs } = change;
      vi.advanceTimersByTime(retryInMs);
      await heard.until(() => told('open')[opens] ?? null);
      return retryInMs;
    }
    const stay = (ms: number): void => {
      aheadMs += ms;
    };
    expect(await close(428)).toBeLessThanOrEqual(2_000);
    expect(await close(428)).toBeGreaterThanOrEqual(2_000);
    stay(50_000);
    expect(await close(428)).toBeGreaterThanOrEqual(4_000);
    stay(60_000);
    expect(await close(500)).toBeLessThanOrEqual(2_000);
    stay(60_000);
    expect(await close(500)).toBeLessThanOrEqual(2_000);
    vi.restoreAllMocks();
    await link.end(false);
  });

  test('by which a text is refused late tells that once, after the refusal is stored', async () => {
    const receive = vi.fn(async () => undefined).mockRejectedValueOnce(new Error('The database is away.'));
    const { link, number, changes, until } = begin('QR', {}, {}, receive);
    peer.scan(number, (await until('code')).code);
    await until('open');
    const to = newNumber();
    peer.acknowledge(to, 'no');
    const text = { attemptId: newId('att'), to: { number: to, userId: null }, text: 'Hello', isKnown: true };
    const sending = link.send(text, AbortSignal.timeout(LONG_MS));
    await peer.until(() => (peer.messages.length === 1 ? true : null));
    expect(await sending).toMatchObject({ kind: 'unknown' });
    peer.acknowledgeLate(peer.messages[0]?.id ?? '', '463');
    await until('restricted');
    expect(receive).toHaveBeenCalledTimes(2);
    expect(changes.filter(({ kind }) => kind === 'restricted')).toHaveLength(1);
    await link.end(false);
  });

  test('leaves no socket that is opened while nobody hears of it', async () => {
    const detach = driverOf(BAILEYS_DIR).attach('', () => undefined);
    const { link, connectionId, number, stored, until } = begin('QR', {});
    peer.scan(number, (await until('code')).code);
    await until('open');
    await link.end(false);
    driverOf(BAILEYS_DIR).tell({ type: 'open', connectionId, creds: stored.creds, link: null, leaseMs: LONG_MS });
    // Another one takes longer, from its code to its socket.
    const other = begin('QR', {});
    peer.scan(other.number, (await other.until('code')).code);
    await other.until('open');
    expect(peer.socketsOf(number)).toBe(0);
    await other.link.end(false);
    detach();
  });
});
