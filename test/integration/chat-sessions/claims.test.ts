import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entities } from '../../../mikro-orm.config.ts';
import { type Database, openDatabase } from '../../../src/db/orm.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { KEEP_KEYS } from '../../../src/modules/chat-sessions/keys/keys.sql.ts';
import {
  claimTurn,
  noteRelink,
  type TurnWish,
  takeToLink,
  unlinkSession,
} from '../../../src/modules/chat-sessions/locked-number.ts';
import { CLAIM_CHAT_TURN, LOCK_NUMBER, NOTE_ACK } from '../../../src/modules/chat-sessions/pace/turn.sql.ts';
import { newNumber } from '../../support/chat-qr/set-up-numbers.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { until } from '../../support/processes/gateway.ts';

const CLAIMS = 1_000;

/** A session whose keys are forgotten. */
interface Wiped {
  readonly connection: string;
  readonly owner: string;
}

/** The most turns that the pace of a number allows. */
const MOST = 10;

/** The connections of each process: so many claims wait for the number at once. */
const POOL_SIZE = 10;

/** How long a claim may wait for a connection of its process: the last of them waits for all. */
const WAIT_MS = 60_000;

describePostgres('1,000 concurrent turns of a number over two processes, each for somebody new', () => {
  const on = setUpServices();
  let databases: Database[] = [];
  beforeAll(async () => {
    if (on.testDatabase.kind !== 'postgres') return;
    const target = { url: on.testDatabase.url, poolSize: POOL_SIZE, connectTimeoutMs: WAIT_MS };
    databases = [await openDatabase(target, entities), await openDatabase(target, entities)];
  });
  afterAll(async () => {
    for (const database of databases) await database.close();
  });

  async function countWaiting(): Promise<number> {
    const waiting = await on.sql(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return waiting.length;
  }

  /** How many people a number of a week writes to by its pace. */
  async function countMet(
    pace: Pick<TurnWish, 'perMinute' | 'newPeople' | 'patienceMs'>,
    claim: (database: Database, wish: TurnWish) => Promise<unknown>,
  ): Promise<number> {
    const [connection, owner] = [toUuid(newId('con')), randomUUID()];
    await on.sql(
      `insert into chat_sessions (connection_id, state, state_since, owner, lease_until, linked_at)
       values ($1, 'linked', now(), $2, now() + interval '1 day', now() - interval '8 days')`,
      [connection, owner],
    );
    const claimAll = () =>
      Array.from({ length: CLAIMS }, (_none, index) =>
        claim(databases[index % 2] as Database, { connection, owner, person: newNumber(), gapMs: 0, ...pace }),
      );
    const [locked, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holder = on.database.fork().transactional(async em => {
      await LOCK_NUMBER.run(em.getKysely(), { connection });
      locked.resolve();
      await begun.promise;
    });
    await locked.promise;
    const claims = claimAll();
    await until('both processes wait', async () => ((await countWaiting()) === 2 * POOL_SIZE ? true : null));
    begun.resolve();
    await holder;
    await Promise.all(claims);
    const met = await on.sql('select person from chat_contacts where connection_id = $1', [connection]);
    return met.length;
  }

  /** Each bound alone. */
  const BOUNDS = [
    ['the day', { perMinute: 60, newPeople: MOST, patienceMs: 86_400_000 }],
    ['the minute', { perMinute: MOST, newPeople: CLAIMS, patienceMs: 0 }],
  ] as const;

  test.each(BOUNDS)('meet as many people as %s allows', async (_bound, pace) => {
    expect(await countMet(pace, claimTurn)).toBe(MOST);
  });

  test.each(BOUNDS)(
    'meet more than %s allows where the number is not locked before they are counted',
    async (_bound, pace) => {
      const claim = (database: Database, wish: TurnWish) => CLAIM_CHAT_TURN.run(database.sql(), wish);
      expect(await countMet(pace, claim)).toBeGreaterThan(MOST);
    },
  );

  test('wait for the ack of a text to the same person, and never for each other', async () => {
    const [connection, owner, person] = [toUuid(newId('con')), randomUUID(), newNumber()];
    await on.sql(
      `insert into chat_sessions (connection_id, state, state_since, owner, lease_until, linked_at)
       values ($1, 'linked', now(), $2, now() + interval '1 day', now())`,
      [connection, owner],
    );
    const wish = { connection, owner, person, perMinute: 60, newPeople: 10, gapMs: 0, patienceMs: 60_000 };
    await claimTurn(on.database, wish);
    let ack: Promise<unknown> = Promise.resolve();
    const claimed = await on.database.fork().transactional(async em => {
      await LOCK_NUMBER.run(em.getKysely(), { connection });
      ack = NOTE_ACK.run(databases[0]?.sql() ?? on.database.sql(), { connection, person });
      await until('the ack waits for the number', async () => ((await countWaiting()) === 1 ? true : null));
      return CLAIM_CHAT_TURN.first(em.getKysely(), wish);
    });
    expect(claimed?.fault).toBeNull();
    await ack;
    const known = await on.sql('select 1 from chat_contacts where person = $1 and known_at is not null', [person]);
    expect(known).toHaveLength(1);
  });

  /** The ends of what a session is made of, by what they leave it. */
  const WIPES = [
    [
      'is unlinked',
      (database: Database, { connection }: Wiped) =>
        database.fork().transactional(within => unlinkSession(within, connection)),
    ],
    [
      'is given up by its owner',
      (database: Database, { connection, owner }: Wiped) => noteRelink(database, owner, connection, 'It is over.'),
    ],
    ['is linked anew', (database: Database, { connection }: Wiped) => takeToLink(database, connection, randomUUID())],
  ] as const;

  test.each(WIPES)('leave no key of a number that %s while its owner stores one', async (_end, wipe) => {
    const [connection, owner] = [toUuid(newId('con')), randomUUID()];
    await on.sql(
      `insert into chat_sessions (connection_id, state, state_since, owner, lease_until, risks_accepted_at)
       values ($1, 'banned', now(), $2, now() + interval '1 day', now())`,
      [connection, owner],
    );
    let wiping: Promise<unknown> = Promise.resolve();
    await on.database.fork().transactional(async em => {
      const keys = [{ kind: 'session', id: 'one', value: 'sealed', key_id: 'key' }];
      const kept = { connection, owner, number: newNumber(), keys, creds: null, credsKeyId: null };
      expect(await KEEP_KEYS.first(em.getKysely(), kept)).toEqual({ is_ours: true });
      wiping = wipe(databases[0] ?? on.database, { connection, owner });
      await until('the end waits for the number', async () => ((await countWaiting()) === 1 ? true : null));
    });
    await wiping;
    expect(await on.sql('select id from chat_session_keys where connection_id = $1', [connection])).toEqual([]);
    expect(await on.sql('select 1 from chat_sessions where owner = $1', [owner])).toEqual([]);
  });
});
