import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { driverOf } from '../../../src/channels/chat-qr/driver-process.ts';
import { ChatNumber } from '../../../src/channels/chat-qr/number.ts';
import type { SessionChange, SessionFace } from '../../../src/channels/session.ts';
import { createKeyRing } from '../../../src/kernel/crypto/key-ring.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { TAKE_TO_LINK } from '../../../src/modules/chat-sessions/lease.sql.ts';
import { Owned } from '../../../src/modules/chat-sessions/owned-session.ts';
import { LOCK_NUMBER } from '../../../src/modules/chat-sessions/pace/turn.sql.ts';
import { type PairingPeer, startPairingPeer } from '../../support/chat-qr/pairing-peer.ts';
import { BAILEYS_DIR, missingLibrary } from '../../support/chat-qr/peer-library.ts';
import { newNumber } from '../../support/chat-qr/set-up-numbers.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { TOLD } from '../../support/leaks/leak-scan.ts';
import { until } from '../../support/processes/gateway.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { Watched } from '../../support/smpp/watched.ts';

const ROUNDS = rounds({ usual: 20, long: 200 });

/**
 * The first delay of the end after the phone. An end that came first makes the next delay longer, and a phone that came first makes it
 * shorter: so both stay close.
 */
const LEAD_MS = 20;

const LINK_MS = 1_000;

/** Longer than any round. */
const LONG_MS = 600_000;

/** The statements that come first: that of the phone, or that of the end. */
type First = 'phone' | 'end';

const WAITING = { phone: '%insert into chat_session_keys%', end: 'select from chat_sessions where%' };

const LINKED = { told: ['linked', 'open'], state: 'linked', isKept: true, devices: 1 };
const ENDED = { told: ['unlinked'], state: 'unlinked', isKept: false, devices: 0 };

const isAlone = missingLibrary() !== null || process.env.TEST_DATABASE === 'pglite';

describe.skipIf(isAlone)('a link that ends as a phone takes its code', () => {
  const on = setUpServices();
  const keys = createKeyRing(Buffer.alloc(32, 7), []);
  const owner = randomUUID();
  let peer: PairingPeer;
  let detach: () => void;
  beforeAll(async () => {
    peer = await startPairingPeer();
    Object.assign(process.env, peer.env);
    // One driver for all rounds: it ends with its last number.
    detach = driverOf(BAILEYS_DIR).attach('', () => undefined);
  });
  afterAll(async () => {
    detach();
    for (const name of Object.keys(peer.env)) delete process.env[name];
    await peer[Symbol.asyncDispose]();
  });
  afterEach(() => void vi.useRealTimers());

  /** Begins to link a number, to its first code. */
  async function begin() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const [connectionId, number, heard] = [newId('con'), newNumber(), new Watched()];
    const connection = toUuid(connectionId);
    const changes: SessionChange[] = [];
    await on.sql(
      'insert into chat_sessions (connection_id, state_since, risks_accepted_at) values ($1, now(), now())',
      [connection],
    );
    await TAKE_TO_LINK.first(on.database.sql(), { connection, owner, leaseSeconds: LONG_MS / 1_000 });
    const services = { receive: async () => undefined, hear: async () => undefined };
    const times = { linkMs: LINK_MS, stallMs: LONG_MS };
    const face: SessionFace = {
      number,
      perMinute: 60,
      newPeoplePerDay: 1_000,
      fault: () => null,
      begin: (host, start) =>
        new ChatNumber({ connectionId, number, driver: driverOf(BAILEYS_DIR), services, host, times }, start),
    };
    const onChange = (change: SessionChange): void => {
      changes.push(change);
      heard.touch();
    };
    const owned = new Owned(
      { connectionId, face, database: on.database, keys, log: TOLD.logger(), owner, onChange },
      { creds: null, link: 'QR', leaseMs: LONG_MS },
    );
    const code = await heard.until(() => changes.find(change => change.kind === 'code') ?? null);
    return { connection, number, owned, code: code.code, changes, heard };
  }
  type Begun = Awaited<ReturnType<typeof begin>>;

  /** Waits until the statement of the phone or of the end waits for the row. */
  const untilWaiting = (of: First) =>
    until(`the ${of} waits`, async () => {
      const [one] = await on.sql(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
        [WAITING[of]],
      );
      return one ?? null;
    });

  /** The outcome of a link. */
  async function outcomeOf({ connection, number, changes }: Begun) {
    await peer.until(() => (changes.at(-1)?.kind === 'open' || peer.socketsOf(number) === 0 ? true : null));
    const [row] = await on.sql<{ state: string; is_kept: boolean }>(
      'select state, creds is not null as is_kept from chat_sessions where connection_id = $1',
      [connection],
    );
    return {
      told: changes.map(({ kind }) => kind).filter(kind => kind !== 'code' && kind !== 'down'),
      state: row?.state,
      isKept: row?.is_kept,
      devices: peer.devicesOf(number),
    };
  }

  /** Holds the row of a link while something comes to it. */
  async function holding({ connection }: Begun, come: () => Promise<void>): Promise<void> {
    await on.database.fork().transactional(async em => {
      await LOCK_NUMBER.run(em.getKysely(), { connection });
      await come();
    });
  }

  const untilTold = ({ heard, changes }: Begun) =>
    heard.until(() => changes.find(({ kind }) => kind === 'open' || kind === 'unlinked' || kind === 'ended') ?? null);

  /** Lets the time of a link pass. Work that begins later goes by the true time. */
  function endByTime(): void {
    vi.advanceTimersByTime(LINK_MS);
    vi.useRealTimers();
  }

  /** The phone scans the picture, or comes too late for it. */
  const scan = ({ number, code }: Begun): void => {
    if (peer.shows(code)) peer.scan(number, code);
  };

  /** Ends a link as the gateway does where its follower leaves. */
  async function leave({ owned }: Begun): Promise<void> {
    vi.useRealTimers();
    if (await owned.giveUpLink(null)) await owned.lose({ unlinks: false });
  }

  test.each([
    ['phone', 'is linked', LINKED],
    ['end', 'ends, and links no device', ENDED],
  ] as const)('at its time is one or the other: where the %s is first, it %s', async (first, _says, outcome) => {
    const link = await begin();
    const comes = { phone: () => scan(link), end: endByTime };
    await holding(link, async () => {
      for (const one of first === 'phone' ? (['phone', 'end'] as const) : (['end', 'phone'] as const)) {
        comes[one]();
        await untilWaiting(one);
      }
    });
    await untilTold(link);
    expect(await outcomeOf(link)).toEqual(outcome);
    await link.owned.end();
  });

  test('as its follower leaves is linked where the phone is first', async () => {
    const link = await begin();
    let left: Promise<void> | undefined;
    await holding(link, async () => {
      scan(link);
      await untilWaiting('phone');
      left = leave(link);
      await untilWaiting('end');
    });
    await left;
    await untilTold(link);
    expect(await outcomeOf(link)).toEqual(LINKED);
    await link.owned.end();
  });

  test('as its follower leaves ends where the phone comes later', async () => {
    const link = await begin();
    let left: Promise<void> | undefined;
    await holding(link, async () => {
      left = leave(link);
      await untilWaiting('end');
      scan(link);
      await untilWaiting('phone');
    });
    await left;
    expect(await outcomeOf(link)).toEqual({ ...ENDED, told: [] });
  });

  test(`is linked or ended ${ROUNDS} times, and never half`, { timeout: 60_000 + ROUNDS * 2_000 }, async () => {
    let leadMs = LEAD_MS;
    const first = { phone: 0, end: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const link = await begin();
      scan(link);
      await wait(Math.random() * leadMs);
      endByTime();
      const isLinked = (await untilTold(link)).kind === 'open';
      expect(await outcomeOf(link)).toEqual(isLinked ? LINKED : ENDED);
      first[isLinked ? 'phone' : 'end'] += 1;
      leadMs *= isLinked ? 0.7 : 1.4;
      await link.owned.end();
    }
    expect(first).toEqual({ phone: expect.toSatisfy(count => count > 0), end: expect.toSatisfy(count => count > 0) });
  });

  test('would be half linked if its end did not ask the row first, and the test of it notices', async () => {
    const link = await begin();
    let ended: Promise<void> | undefined;
    await holding(link, async () => {
      scan(link);
      await untilWaiting('phone');
      ended = link.owned.end();
    });
    await ended;
    const outcome = await outcomeOf(link);
    expect(outcome).not.toEqual(LINKED);
    expect(outcome).not.toEqual(ENDED);
  });
});
