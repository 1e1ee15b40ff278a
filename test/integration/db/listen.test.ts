import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { postgresListening } from '../../../src/db/feeds/listen.ts';
import type { Database } from '../../../src/db/orm.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { setUpOtherProcess, setUpServices } from '../../support/fixtures.ts';
import { Watched } from '../../support/smpp/watched.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('a listener that never came to listen fails once, and is not tried again behind the back of its caller', async () => {
  let connections = 0;
  const server = createServer(socket => {
    connections += 1;
    socket.once('data', () => socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { listen } = postgresListening({ url: `postgres://someone@127.0.0.1:${port}/main` }, async () => undefined);
  await expect(
    listen(
      'heliograph_log',
      () => undefined,
      () => undefined,
    ),
  ).rejects.toThrow(/terminated|ended|ECONNRESET/i);
  server.close();
  await once(server, 'close');
  // Nothing waits to connect again.
  expect(vi.getTimerCount()).toBe(0);
  expect(connections).toBe(1);
});

describePostgres('a process that listens to several channels', () => {
  const on = setUpServices();
  const other = setUpOtherProcess(on);

  /** The connections that listen in this database: one of the services of the test, and that of the other process. */
  const listening = () =>
    on.sql<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and application_name = 'heliograph-listen'`,
    );

  /** Waits until the other process does not listen. */
  const silence = () => vi.waitUntil(async () => (await listening()).length === 1, { timeout: 60_000 });
  beforeEach(silence);

  const notify = (channel: string, payload: string) => on.sql('select pg_notify($1, $2)', [channel, payload]);

  /** Listens, and keeps what it hears. */
  async function follow(database: Database, channel: string) {
    const changed = new Watched();
    const heard: string[] = [];
    let gaps = 0;
    const stop = await database.listen(
      channel,
      payload => {
        heard.push(payload);
        changed.touch();
      },
      () => {
        gaps += 1;
        changed.touch();
      },
    );
    return {
      heard,
      stop,
      hears: (payload: string) => changed.until(() => (heard.includes(payload) ? true : null)),
      misses: (count: number) => changed.until(() => (gaps >= count ? true : null)),
    };
  }

  test('has one connection for them, which ends with the last of them', async () => {
    const followers = await Promise.all(['one', 'two', 'Two "quoted"', 'two'].map(name => follow(other, name)));
    expect(await listening()).toHaveLength(2);
    const [one, two, quoted, twin] = followers;
    await notify('two', 'to two');
    await notify('Two "quoted"', 'to the quoted one');
    await notify('one', 'to one');
    await Promise.all([one?.hears('to one'), two?.hears('to two'), twin?.hears('to two')]);
    await quoted?.hears('to the quoted one');
    expect(followers.map(({ heard }) => heard.length)).toEqual([1, 1, 1, 1]);
    await two?.stop();
    await one?.stop();
    await notify('two', 'again');
    await twin?.hears('again');
    await notify('one', 'again');
    const late = await follow(other, 'one');
    await notify('one', 'late');
    await late.hears('late');
    expect([one?.heard, two?.heard, late.heard]).toEqual([['to one'], ['to two'], ['late']]);
    await Promise.all([quoted?.stop(), twin?.stop(), late.stop()]);
    await silence();
  });

  test('says after its connection was lost, to each that listens, that something may be missing, and hears again', async () => {
    const before = new Set((await listening()).map(({ pid }) => pid));
    const followers = await Promise.all(['one', 'two'].map(name => follow(other, name)));
    const stopped = await follow(other, 'three');
    await stopped.stop();
    for (const { pid } of await listening())
      if (!before.has(pid)) await on.sql('select pg_terminate_backend($1)', [pid]);
    await Promise.all(followers.map(({ misses }) => misses(1)));
    await notify('one', 'a');
    await notify('two', 'b');
    await Promise.all([followers[0]?.hears('a'), followers[1]?.hears('b')]);
    expect(await listening()).toHaveLength(2);
    await Promise.all(followers.map(({ stop }) => stop()));
  });
});
