import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Replica } from '../../../../src/db/orm.ts';
import { patiently } from '../../../../src/db/postgres/bounded-client.ts';
import { BEHIND_MAX_MS, type ReplicaState, Wake } from '../../../../src/db/replica/wake.ts';
import { isUnavailable, runSql as runStatement } from '../../../../src/db/statements/sql.ts';
import { encodeCursor } from '../../../../src/kernel/cursor.ts';
import { uuidFloor } from '../../../../src/kernel/ids.ts';
import { gatewayTime } from '../../../../src/kernel/process/gateway-time.ts';
import { type Customer, createTestApp, OPERATOR_TOKEN, type TestApp } from '../../../support/app.ts';
import { onServer, startReplica } from '../../../support/databases/backups.ts';
import { type Cluster, startCluster } from '../../../support/databases/cluster.ts';
import { createDatabase, describePostgres } from '../../../support/databases/database.ts';
import { migrateDatabase } from '../../../support/databases/migrated.ts';
import { databaseUrl, runSql } from '../../../support/databases/postgres.ts';
import { SMS } from '../../../support/messaging/send-cases.ts';

/** One for all processes of the gateway. */
const SECRET_KEY = Buffer.alloc(32, 3).toString('base64');

/** Longer than a busy machine takes for what is awaited. */
const SOON = { timeout: 30_000, interval: 50 };

afterEach(() => {
  vi.restoreAllMocks();
});

describePostgres('a gateway with a read replica', () => {
  let primary: Cluster;
  let replica: Cluster;
  let url: string;
  let on: TestApp;
  let customer: Customer;
  let count = 0;
  let aheadMs = 0;
  const clock = { now: () => new Date(gatewayTime().getTime() + aheadMs) };

  beforeAll(async () => {
    const made = await startCluster({ own: true });
    if (!made) throw new Error('there is no PostgreSQL on this machine');
    primary = made;
    url = databaseUrl(primary.url, 'gateway');
    await runSql(primary.url, 'create database gateway');
    await migrateDatabase(url);
    replica = await startReplica(primary);
    on = await open(onServer(replica, url));
    customer = await on.customer();
    await untilState('following');
  }, 120_000);

  afterAll(async () => {
    await on.close();
    await replica.stop();
    await primary.stop();
  });

  const open = (replicaUrl: string) =>
    createTestApp({ env: { DATABASE_URL: url, DATABASE_REPLICA_URL: replicaUrl, SECRET_KEY }, clock });
  const onReplica = (text: string) => runSql(onServer(replica, url), text);
  const stateNow = async (of = on) => (await of.app.services.database.replica?.check())?.state;
  const untilState = (state: ReplicaState, of = on) => vi.waitUntil(async () => (await stateNow(of)) === state, SOON);

  /** Has the replica stay where it is, and the gateway go on reading from it, however long that takes. */
  async function pauseReplay(): Promise<void> {
    await untilState('following');
    const { reading } = replicaOf();
    vi.spyOn(replicaOf(), 'check').mockResolvedValue(reading);
    await onReplica('select pg_wal_replay_pause()');
  }

  async function resumeReplay(): Promise<void> {
    vi.restoreAllMocks();
    await onReplica('select pg_wal_replay_resume()');
    await untilState('following');
  }

  /** Sends to a new number, and answers its last digits. */
  async function send(): Promise<string> {
    count += 1;
    const ending = String(4_000 + count);
    await on.rest('POST', '/api/omni/send', {
      token: customer.tokens.unified,
      body: { ...SMS, to: `+4477009${ending.padStart(5, '0')}` },
    });
    return ending;
  }

  /** How many numbers with these last digits are found, by a search that a replica serves. */
  async function countIn(ending: string, of = on): Promise<number | undefined> {
    const { data } = await of.graphql<{ recipients: string[] }>(
      'query ($ending: String!) { recipients(endingWith: $ending) }',
      { token: customer.tokens.unified, variables: { ending } },
    );
    return data?.recipients.length;
  }

  /** How many entries a page of the log has, of the log by sends too, and how many are counted. */
  async function countListed(filter: Record<string, string>, after: string | null = null) {
    const { data, errors } = await on.graphql<{
      logs: { edges: unknown[] };
      sends: { edges: unknown[] };
      logHistogram: { buckets: { entries: number }[] };
    }>(
      `query ($filter: LogFilter, $after: String) {
        logs(first: 200, filter: $filter, after: $after) { edges { node { id } } }
        sends(first: 200, filter: $filter, after: $after) { edges { node { id } } }
        logHistogram(filter: $filter) { buckets { entries } }
      }`,
      { token: customer.tokens.unified, variables: { filter, after } },
    );
    expect(errors).toBeNull();
    return {
      logs: data?.logs.edges.length,
      sends: data?.sends.edges.length,
      counted: data?.logHistogram.buckets.reduce((sum, { entries }) => sum + entries, 0),
    };
  }

  /** The replica of the gateway, as its reads meet it. */
  function replicaOf(of = on): Replica {
    const found = of.app.services.database.replica;
    if (!found) throw new Error('the gateway has no replica');
    return found;
  }

  /** Runs one statement as a read of lists does, and answers which servers it ran on. */
  async function serversOf(text: string, waitMs = 5_000): Promise<string[]> {
    const servers: string[] = [];
    await replicaOf()
      .read(new AbortController().signal, async source => {
        const [server] = await runStatement<{ isReplica: boolean }>(
          source.sql(),
          'select pg_is_in_recovery() as "isReplica"',
          [],
        );
        servers.push(server?.isReplica ? 'replica' : 'primary');
        if (server?.isReplica) await patiently(waitMs, () => runStatement(source.sql(), text, []));
      })
      .catch(error => expect(isUnavailable(error)).toBe(true));
    return servers;
  }

  /** The state of the replica, as `gatewayStatus` and the doctor tell the operator. */
  async function told(of = on) {
    const { data } = await of.graphql<{
      gatewayStatus: { replica: { state: string; lagSeconds: number | null } };
      doctor: { findings: { name: string; status: string; message: string }[] };
    }>('{ gatewayStatus { replica { state lagSeconds } } doctor { findings { name status message } } }', {
      token: OPERATOR_TOKEN,
    });
    return {
      ...data?.gatewayStatus.replica,
      finding: data?.doctor.findings.find(({ name }) => name === 'database.replica'),
    };
  }

  test('reads lists from it, goes to the primary when it is too far behind, and returns', async () => {
    await pauseReplay();
    const ending = await send();
    expect(await countIn(ending)).toBe(0);
    vi.restoreAllMocks();
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + BEHIND_MAX_MS + 1_000);
    // A look that had begun before finds it as it was.
    await untilState('behind');
    expect(await countIn(ending)).toBe(1);
    expect(await told()).toMatchObject({
      state: 'BEHIND',
      lagSeconds: expect.any(Number),
      finding: { status: 'WARNING' },
    });
    await resumeReplay();
    const { state, finding } = await told();
    expect([state, finding?.message]).toEqual([
      'FOLLOWING',
      expect.stringMatching(/^The replica answers, and is [0-9]\.[0-9] s behind\.$/),
    ]);
    expect(await countIn(ending)).toBe(1);
  });

  test('finds by its id what it has just sent, however far the replica is behind', async () => {
    await onReplica('select pg_wal_replay_pause()');
    const { body } = await on.rest('POST', '/api/omni/send', { token: customer.tokens.unified, body: SMS });
    const { data } = await on.graphql('query ($id: String!) { message(id: $id) { id } }', {
      token: customer.tokens.unified,
      variables: { id: body.data?.messageId },
    });
    await onReplica('select pg_wal_replay_resume()');
    expect(data).toEqual({ message: { id: body.data?.messageId } });
    await untilState('following');
  });

  test('has on the newest page, and under its reference, what was just sent, however far the replica is behind', async () => {
    await pauseReplay();
    const reference = 'order-4711';
    const { body } = await on.rest('POST', '/api/omni/send', {
      token: customer.tokens.unified,
      body: { ...SMS, to: '+447700955555', reference },
    });
    const one = { logs: 1, sends: 1, counted: 1 };
    expect(await countListed({ reference })).toEqual(one);
    expect(await countListed({ messageId: String(body.data?.messageId) })).toEqual(one);
    // By the number, what is counted is as old as the replica.
    const byNumber = { recipient: '+447700955555' };
    expect(await countListed(byNumber)).toEqual({ ...one, counted: 0 });
    const cursor = encodeCursor(uuidFloor(new Date(clock.now().getTime() + 1_000)));
    expect(await countListed(byNumber, cursor)).toMatchObject({ logs: 1, sends: 1 });
    aheadMs = 120_000;
    expect(await countListed(byNumber, cursor)).toMatchObject({ logs: 0, sends: 0 });
    expect(await countListed({ reference }, cursor)).toMatchObject({ logs: 1, sends: 1 });
    aheadMs = 0;
    await resumeReplay();
  });

  test('follows while the pool of the primary is taken', async () => {
    const { engine } = on.app.services.database;
    if (engine.kind !== 'postgres') throw new Error('there is no pool');
    const { pool } = engine;
    const taken = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + BEHIND_MAX_MS + 1_000);
    try {
      await untilState('following');
    } finally {
      for (const client of taken) client.release();
    }
  });

  test.each([
    ['is not moved to the primary where the replica takes too long', 'select pg_sleep(60)', 500, ['replica']],
    [
      'is not moved to the primary where the replica cancels it',
      'select pg_cancel_backend(pg_backend_pid()), pg_sleep(1)',
      5_000,
      ['replica'],
    ],
    [
      'is made on the primary where the replica ends its connection',
      'select pg_terminate_backend(pg_backend_pid()), pg_sleep(1)',
      5_000,
      ['replica', 'primary'],
    ],
  ])('a read %s', async (_outcome, text, waitMs, servers) => {
    // One begins on the primary after a check without an answer, and by a connection that an earlier read lost.
    let seen: string[] = [];
    await vi.waitUntil(async () => {
      seen = await serversOf(text, waitMs);
      return seen[0] === 'replica';
    }, SOON);
    expect(seen).toEqual(servers);
  });

  test('leaves a read under way alone where one check goes unanswered', async () => {
    // A connection that an earlier read lost may still be in the pool.
    await vi.waitUntil(async () => (await serversOf('select 1')).join() === 'replica', SOON);
    const reading = serversOf('select pg_sleep(3)', 30_000);
    const underWay = "select from pg_stat_activity where query = 'select pg_sleep(3)' and state = 'active'";
    await vi.waitUntil(async () => (await onReplica(underWay)).length > 0, SOON);
    await replica.freeze();
    try {
      while ((await stateNow()) !== 'away');
    } finally {
      await replica.thaw();
    }
    expect(await reading).toEqual(['replica']);
    await untilState('following');
  });

  test('answers lists while the replica hangs', async () => {
    const ending = await send();
    await replica.freeze();
    try {
      const beganMs = performance.now();
      expect(await countIn(ending)).toBe(1);
      expect(performance.now() - beganMs).toBeLessThan(8_000);
      await untilState('away');
      expect(await countIn(ending)).toBe(1);
    } finally {
      await replica.thaw();
    }
    await untilState('following');
  });

  test('answers lists when the replica is ended, and reads from it when it is back', async () => {
    const ending = await send();
    await replica.crash();
    expect(await countIn(ending)).toBe(1);
    await untilState('away');
    expect(await told()).toMatchObject({ state: 'AWAY', finding: { status: 'WARNING' } });
    await replica.restart();
    await untilState('following');
    expect(await countIn(ending)).toBe(1);
  });

  test('has its metrics tell whether it is used', async () => {
    const { registry } = on.app.services.metrics;
    await vi.waitUntil(async () => (await registry.metrics()).includes('heliograph_replica_used 1'), SOON);
    expect(await registry.metrics()).toMatch(/^heliograph_replica_lag_seconds [0-9.]+$/m);
  });

  test('refuses to start with a replica of another database', async () => {
    const foreign = await createDatabase();
    const refused =
      'DATABASE_REPLICA_URL leads to another database than DATABASE_URL: set it to a streaming replica of the same one, or leave it out.';
    await expect(open(foreign.kind === 'postgres' ? foreign.url : '')).rejects.toThrow(refused);
    await expect(open(databaseUrl(primary.url, 'postgres'))).rejects.toThrow(refused);
    await foreign.drop();
  });

  test('starts without the replica where that does not answer', async () => {
    const other = await open('postgres://postgres@127.0.0.1:1/gateway');
    expect(other.app.services.database.replica?.reading.state).toBe('away');
    await other.close();
  });

  test('cancels a list on the primary whose caller is gone', async () => {
    const other = await open('postgres://postgres@127.0.0.1:1/gateway');
    const caller = new AbortController();
    const list = replicaOf(other).read(caller.signal, source => source.fork().execute('select pg_sleep(47)'));
    const ended = expect(list).rejects.toThrow();
    const underWay = () =>
      runSql(url, "select from pg_stat_activity where query = 'select pg_sleep(47)' and state = 'active'");
    await vi.waitUntil(async () => (await underWay()).length > 0, SOON);
    caller.abort();
    // Before the database ends it by itself.
    await vi.waitUntil(async () => (await underWay()).length === 0, { ...SOON, timeout: 5_000 });
    await ended;
    await other.close();
  });

  test('reads from the primary when the replica is promoted', async () => {
    const second = await startReplica(primary);
    const other = await open(onServer(second, url));
    await untilState('following', other);
    await runSql(second.url, 'select pg_promote()');
    await untilState('promoted', other);
    expect(await countIn(await send(), other)).toBe(1);
    expect((await told(other)).finding?.message).toMatch(
      /^DATABASE_REPLICA_URL leads to a primary, not to a replica\./,
    );
    await other.close();
    await second.stop();
  });
});

describe('how far a replica is behind', () => {
  const at = (position: number, isReplica: boolean) => ({ isReplica, identity: '1/2', position });

  test('is not known before it has reached what the primary had', () => {
    const wake = new Wake();
    wake.primaryAt(at(100, false), 0);
    wake.replicaAt(at(50, true), 1);
    expect([wake.state, wake.lagMs(1)]).toEqual(['behind', null]);
    wake.replicaAt(at(100, true), 2);
    expect([wake.state, wake.lagMs(2)]).toEqual(['following', 2]);
  });

  test('grows while the primary goes on, and not while it stands still', () => {
    const wake = new Wake();
    for (const [position, atMs] of [
      [100, 0],
      [100, 60_000],
    ] as const) {
      wake.primaryAt(at(position, false), atMs);
      wake.replicaAt(at(100, true), atMs + 1);
    }
    expect([wake.state, wake.lagMs(60_001)]).toEqual(['following', 1]);
    wake.primaryAt(at(200, false), 61_000);
    wake.replicaAt(at(150, true), 66_000);
    expect([wake.state, wake.lagMs(66_000)]).toEqual(['behind', 6_000]);
  });

  test('is not known anew where a server with a shorter log takes over', () => {
    const wake = new Wake();
    wake.primaryAt(at(100, false), 0);
    wake.replicaAt(at(100, true), 0);
    wake.primaryAt(at(90, false), 1_000);
    wake.replicaAt(at(80, true), 1_000);
    expect(wake.state).toBe('behind');
  });
});
