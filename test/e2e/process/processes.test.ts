import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { oncePerFile } from '../../support/fixtures.ts';
import { runCli } from '../../support/processes/cli.ts';
import { type DemoGateway, failToStart, send, startDemoGateway, until } from '../../support/processes/gateway.ts';

const isAlone = inject('testDatabase').kind === 'pglite';

/** Two processes that serve one port. */
const start = () => startDemoGateway({ env: { PROCESSES: '2' } });

/** Waits for what it says from now on, as the tests share it. */
function listenTo({ stderr }: Pick<DemoGateway, 'stderr'>) {
  const from = stderr().length;
  return (pattern: RegExp) => until(`it says ${pattern}`, async () => pattern.exec(stderr().slice(from)), 90_000);
}

/** The processes that serve, by their ids. */
function servingOf({ pid }: Pick<DemoGateway, 'pid'>): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}

/** The sum of a metric over its labels. */
async function metricOf({ url }: Pick<DemoGateway, 'url'>, name: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  const values = page.split('\n').filter(line => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return values.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Has callers ask without a pause, half of them by a connection of its own each time, until they are told to stop. Answers what they were answered. */
function beginTraffic({ url }: Pick<DemoGateway, 'url'>) {
  const answers = new Map<string, number>();
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  let isOver = false;
  const ask = async (own: boolean): Promise<string> => {
    const { promise, resolve } = Promise.withResolvers<string>();
    // A connection that was handed to a process in the moment of its death is answered by nobody.
    const signal = AbortSignal.timeout(15_000);
    const asked = request(`${url}/readyz`, { agent: own ? false : agent, signal }, response => {
      response.resume().once('close', () => resolve(response.complete ? String(response.statusCode) : 'cut off'));
    });
    // A kept connection that the other end has closed before this was sent is no answer of anybody's: every client tries such a one again.
    asked.once('error', (error: NodeJS.ErrnoException) => resolve(asked.reusedSocket ? 'again' : String(error.code)));
    asked.end();
    return await promise;
  };
  const loops = Array.from({ length: 8 }, async (_, index) => {
    while (!isOver) {
      const answer = await ask(index % 2 === 0);
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
  });
  return {
    /** Whether a caller was answered anything but 200. */
    isNoticed: (): boolean => [...answers.keys()].some(answer => answer !== '200' && answer !== 'again'),
    async stop(): Promise<ReadonlyMap<string, number>> {
      isOver = true;
      await Promise.all(loops);
      agent.destroy();
      return answers;
    },
  };
}

describe.skipIf(isAlone)('two processes that serve one port', () => {
  /** The one of the tests that leave it as it was: with two processes that serve. */
  const gateway = oncePerFile(start);

  test('tell the metrics of both on one page, and are found by the command line, whichever answers', async () => {
    const gateway = await start();
    expect(servingOf(gateway)).toHaveLength(2);
    expect(gateway.stderr()).toMatch(/Heliograph listens on \S+ by 2 processes – dashboard/);
    for (let sent = 0; sent < 20; sent++) expect((await send(gateway, gateway.demo.tokens.unified)).status).toBe(200);
    // Asked by connections of their own, which go to one process after the other.
    for (let asked = 0; asked < 4; asked++) {
      await expect(metricOf(gateway, 'heliograph_messages_total')).resolves.toBe(20);
      // This one asks a gateway that runs, and nobody else.
      expect(await runCli(gateway.env, 'template', 'names')).toMatchObject({ status: 0, stderr: '' });
    }
    gateway.kill('SIGTERM');
    await expect(gateway.exited).resolves.toEqual({ code: 0, signal: null });
    expect(readdirSync(gateway.dataDir)).not.toContain('gateway.json');
  });

  test('are exchanged one by one on SIGHUP, and no caller notices', async () => {
    const before = servingOf(gateway);
    const said = listenTo(gateway);
    const traffic = beginTraffic(gateway);
    gateway.kill('SIGHUP');
    await said(/all processes are new/);
    const answers = await traffic.stop();
    expect(traffic.isNoticed()).toBe(false);
    expect(answers.get('200')).toBeGreaterThan(100);
    // Each of the four kept connections may meet the end of both processes.
    expect(answers.get('again') ?? 0).toBeLessThanOrEqual(8);
    const after = servingOf(gateway);
    expect(after).toHaveLength(2);
    expect(after.filter(pid => before.includes(pid))).toEqual([]);
    expect((await send(gateway, gateway.demo.tokens.unified)).status).toBe(200);
  });

  test('are noticed where one is killed instead', async () => {
    const said = listenTo(gateway);
    const traffic = beginTraffic(gateway);
    // A process may be killed at a moment at which it has nothing to answer.
    for (let killed = 1; killed <= 10 && !traffic.isNoticed(); killed++) {
      process.kill(servingOf(gateway)[0] ?? 0, 'SIGKILL');
      await said(new RegExp(`(?:has taken the place[^]*){${killed}}`));
    }
    await traffic.stop();
    expect(traffic.isNoticed()).toBe(true);
  });

  test('are two again after one was killed, and the log says so', async () => {
    const said = listenTo(gateway);
    const [victim = 0, other = 0] = servingOf(gateway);
    process.kill(victim, 'SIGKILL');
    await said(new RegExp(`"pid":${victim},"how":"SIGKILL","msg":"a process has died`));
    await said(/has taken the place/);
    const after = servingOf(gateway);
    expect(after).toHaveLength(2);
    expect(after).toContain(other);
    for (let sent = 0; sent < 4; sent++) expect((await send(gateway, gateway.demo.tokens.unified)).status).toBe(200);
  });

  test('stay as they are where a new one cannot start, and are exchanged when it can', async () => {
    const { pathname, ...server } = new URL(gateway.env.DATABASE_URL ?? '');
    const client = new pg.Client({
      connectionString: Object.assign(new URL(gateway.env.DATABASE_URL ?? ''), server, { pathname: '/postgres' }).href,
    });
    await client.connect();
    const allow = (is: boolean) => client.query(`alter database "${pathname.slice(1)}" allow_connections ${is}`);
    const before = servingOf(gateway);
    const said = listenTo(gateway);
    await allow(false);
    gateway.kill('SIGHUP');
    await said(/the others stay as they are/);
    expect(servingOf(gateway)).toEqual(before);
    await allow(true);
    expect((await send(gateway, gateway.demo.tokens.unified)).status).toBe(200);
    gateway.kill('SIGHUP');
    await said(/all processes are new/);
    expect(servingOf(gateway)).toHaveLength(2);
    await client.end();
  });

  test('end with the first process, whatever ends it', async () => {
    const gateway = await start();
    const serving = servingOf(gateway);
    gateway.kill('SIGKILL');
    await gateway.exited;
    await until('nobody serves', async () => (serving.some(isAlive) ? null : true));
  });

  test('do not start where the port is taken, which is said once', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await failToStart({
      databaseUrl: gateway.env.DATABASE_URL ?? '',
      env: { PROCESSES: '2', PORT: String(port) },
    });
    expect(code).toBe(1);
    expect(stderr.match(/is taken by another program/g)).toHaveLength(1);
    server.close();
  });
});

function isAlive(pid: number): boolean {
  try {
    // A process that nobody has taken leave of yet is over, too.
    return !/^State:\s+Z/m.test(readFileSync(join('/proc', String(pid), 'status'), 'utf8'));
  } catch {
    return false;
  }
}
