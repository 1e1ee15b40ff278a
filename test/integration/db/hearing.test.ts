import pg from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { DeafError, postgresListening } from '../../../src/db/feeds/listen.ts';
import type { Notify } from '../../../src/db/feeds/pulses.ts';
import { openServer } from '../../../src/db/open-server.ts';
import { queueConnections } from '../../../src/db/postgres/postgres.ts';
import { ConnectError } from '../../../src/db/postgres/postgres-dial.ts';
import { OverdueError } from '../../../src/db/statements/sql.ts';
import { openJobs } from '../../../src/queue/kit.ts';
import { JOBS } from '../../../src/worker/jobs.ts';
import { openFaultWire } from '../../support/databases/cutting-proxy.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { type Pgbouncer, startPgbouncer } from '../../support/databases/pgbouncer.ts';
import { databaseUrl } from '../../support/databases/postgres.ts';
import { oncePerFile, oncePerTest, setUpServices } from '../../support/fixtures.ts';
import { missing } from '../../support/smpp/programs.ts';

/** How many listen at the same time: what passes by chance passes for one of them. */
const LISTENERS = 10;

afterEach(() => {
  vi.useRealTimers();
});

describePostgres('a process that listens', () => {
  const on = setUpServices();
  const urlOf = (): string => (on.testDatabase.kind === 'postgres' ? on.testDatabase.url : '');
  const notify: Notify = (channel, payload) => on.sql('select pg_notify($1, $2)', [channel, payload]);
  const ignore = (): void => undefined;

  /** Lets seconds of a clock that is stopped pass, each as long as a few answers of the server take. */
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      vi.advanceTimersByTime(1_000);
      for (let answer = 0; answer < 10; answer += 1) await notify('nobody', '');
    }
  };
  const stopClock = () => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });

  /** A wire of the listening connection alone. */
  const wire = oncePerTest(
    () => openFaultWire(urlOf(), { counts: () => false }),
    opened => opened.close(),
  );

  const countListening = async () =>
    (await on.sql(`select from pg_stat_activity where datname = current_database() and query ~ 'heliograph_pulse'`))
      .length;

  test('does not begin where nothing of its own comes back, and leaves no connection behind', async () => {
    const before = await countListening();
    const deaf = postgresListening({ url: urlOf() }, async () => undefined);
    await expect(deaf.keep(ignore)).rejects.toThrow(DeafError);
    await vi.waitUntil(async () => (await countListening()) === before, { timeout: 30_000 });
    expect(deaf.isDeaf()).toBe(false);
  });

  test('that hears nothing any more says so once, has all read again, and says when it hears again', async () => {
    stopClock();
    let isCut = false;
    const { keep, listen, isDeaf, roundTrip } = postgresListening({ url: urlOf() }, async (channel, payload) =>
      isCut ? undefined : notify(channel, payload),
    );
    const told: boolean[] = [];
    let gaps = 0;
    const stop = await keep(to => told.push(to));
    const stopListening = await listen('one', ignore, () => {
      gaps += 1;
    });
    for (let second = 0; second < 20; second += 1) {
      vi.advanceTimersByTime(1_000);
      await roundTrip();
    }
    expect([isDeaf(), told, gaps]).toEqual([false, [], 0]);
    isCut = true;
    await pass(4);
    expect(isDeaf()).toBe(false);
    await pass(5);
    expect([isDeaf(), told]).toEqual([true, [true]]);
    const before = gaps;
    await pass(10);
    expect(gaps - before).toBe(5);
    isCut = false;
    while (isDeaf()) await pass(1);
    await pass(1);
    expect(told).toEqual([true, false]);
    await stopListening();
    await stop();
  });

  test.each([
    ['lost', async () => undefined],
    ['accepted too late', () => Promise.reject(new OverdueError())],
  ])('tries for some seconds to begin where its first notifications are %s', async (_how, first) => {
    stopClock();
    let failed = 0;
    const { keep, isDeaf } = postgresListening({ url: urlOf() }, async (channel, payload) => {
      if (payload === '' || failed === 2) return notify(channel, payload);
      failed += 1;
      return first();
    });
    const keeping = keep(ignore);
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    keeping.then(over, over);
    while (!isOver) await pass(1);
    const stop = await keeping;
    expect([failed, isDeaf()]).toEqual([2, false]);
    await stop();
  });

  test.each([
    ['takes no notifications', () => undefined],
    ['is away', () => wire.cut()],
  ])('is not deaf while the database %s, however long', async (_how, cut) => {
    stopClock();
    let isAway = false;
    const { keep, isDeaf } = postgresListening({ url: wire.url }, (channel, payload) =>
      isAway ? Promise.reject(new ConnectError('connect ECONNREFUSED', 'ECONNREFUSED')) : notify(channel, payload),
    );
    const told: boolean[] = [];
    const stop = await keep(to => told.push(to));
    isAway = true;
    cut();
    await pass(20);
    expect([isDeaf(), told]).toEqual([false, []]);
    await stop();
  });

  test('is deaf while its own connection is lost, and the database takes notifications', async () => {
    stopClock();
    const { keep, isDeaf } = postgresListening({ url: wire.url }, notify);
    const told: boolean[] = [];
    const stop = await keep(to => told.push(to));
    wire.cut();
    while (!isDeaf()) await pass(1);
    wire.arm(null);
    while (isDeaf()) await pass(1);
    await pass(1);
    expect(told).toEqual([true, false]);
    await stop();
  });

  test('says which URL does not lead to its database', async () => {
    const { url } = { url: urlOf() };
    const open = (directUrl: string) =>
      openServer({ url, directUrl }, [], { grouped: true, onCommit: ignore }, ignore).then(database =>
        database.close(),
      );
    await Promise.all([
      expect(open(databaseUrl(url, 'postgres'))).rejects.toThrow(
        /^LISTEN on DATABASE_DIRECT_URL does not hear what DATABASE_URL notifies, .* Set DATABASE_DIRECT_URL to the same database's own address\.$/,
      ),
      expect(open('postgres://someone@127.0.0.1:1/main')).rejects.toThrow(
        /^The database of DATABASE_DIRECT_URL cannot be used: .*ECONNREFUSED/,
      ),
      expect(open(url)).resolves.toBeUndefined(),
    ]);
  });

  describe.skipIf(missing(['pgbouncer']) !== null)('through PgBouncer', () => {
    /** The poolers by their settings, made when they are first asked for. */
    const made = new Map<string, Promise<Pgbouncer>>();
    const poolers = oncePerFile(
      async () => ({
        of(mode: string, size: number): Promise<Pgbouncer> {
          const name = `${mode} ${size}`;
          const pooler = made.get(name) ?? startPgbouncer(urlOf(), { pool_mode: mode, default_pool_size: size });
          made.set(name, pooler);
          return pooler;
        },
      }),
      async () => {
        for (const pooler of made.values()) await (await pooler)[Symbol.asyncDispose]();
      },
    );

    test('in transaction mode never takes itself for one that hears, however few connections there are', async () => {
      const listenThrough = async (size: number): Promise<boolean[]> => {
        const url = (await poolers.of('transaction', size)).through(urlOf());
        const pool = new pg.Pool({ connectionString: url, max: 5 });
        const through: Notify = (channel, payload) => pool.query('select pg_notify($1, $2)', [channel, payload]);
        const tries = Array.from({ length: LISTENERS }, () => postgresListening({ url }, through).keep(ignore));
        const results = await Promise.allSettled(tries);
        await pool.end();
        return results.map(result => result.status === 'rejected' && result.reason instanceof DeafError);
      };
      const deaf = (await Promise.all([1, 2, 5].map(listenThrough))).flat();
      expect(deaf).toEqual(Array.from({ length: 3 * LISTENERS }, () => true));
    });

    test('in transaction mode would hear by chance while a statement of it runs', async () => {
      const url = (await poolers.of('transaction', 5)).through(urlOf());
      const [listener, notifier] = [new pg.Client(url), new pg.Client(url)];
      await Promise.all([listener.connect(), notifier.connect()]);
      const heard: (string | undefined)[] = [];
      listener.on('notification', ({ payload }) => heard.push(payload));
      await listener.query('listen chance');
      const running = listener.query(`select pg_sleep(0.5)`);
      await notifier.query(`notify chance, 'heard'`);
      await running;
      await Promise.all([listener.end(), notifier.end()]);
      expect(heard).toEqual(['heard']);
    });

    test('in transaction mode lets a queue listen directly, and fetch through the pooler', async () => {
      const pooler = await poolers.of('transaction', 5);
      const directUrl = new URL(urlOf());
      directUrl.searchParams.set('application_name', 'direct');
      const engine = queueConnections({ url: pooler.through(urlOf()), directUrl: directUrl.href });
      const jobs = await openJobs({ engine, definitions: JOBS, maintain: false, onError: ignore });
      const sessions = await on.sql<{ name: string; isListening: boolean }>(
        `select distinct application_name as name, query ilike 'listen%' as "isListening" from pg_stat_activity
         where datname = current_database() and (application_name = 'direct' or query ~ 'pgboss')`,
      );
      await jobs.stop(5_000);
      expect(sessions.filter(({ name }) => name === 'direct')).toEqual([{ name: 'direct', isListening: true }]);
      expect(sessions.length).toBeGreaterThan(1);
    });

    test('in session mode hears', async () => {
      const url = (await poolers.of('session', 10)).through(urlOf());
      const listening = postgresListening({ url }, notify);
      const stop = await listening.keep(ignore);
      await expect(listening.roundTrip()).resolves.toBeGreaterThan(0);
      await stop();
    });
  });
});
