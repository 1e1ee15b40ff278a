import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeAccount } from '../../support/processes/accounts.ts';
import { type DemoGateway, send, startDemoGateway } from '../../support/processes/gateway.ts';
import { headOf, readAnswer, speak } from '../../support/processes/raw-http.ts';

const CLIENTS = 1_000;

/** The promise is 10 s, which the bench measures. On a machine that others use the gateway itself may stand still for long; Node alone would wait for 60 s and more. */
const CUT_MAX_MS = 30_000;

/** How often a byte drips; a client that is not cut is given up after this time. */
const DRIP_MS = 1_000;
const GIVEN_UP_MS = 60_000;

/** How many connections the gateway lets one address have. */
const MOST = 20;

const POST = headOf('POST', '/api/omni/send', ['Content-Type: application/json', 'Content-Length: 1000']);

/** The first bytes of each kind of client, and its drip. */
const KINDS = {
  'whose headers drip in': { begin: 'POST /api/omni/send HTTP/1.1\r\nHost: gateway.test\r\nX-Slow: ', drip: 'a' },
  'whose body drips in': { begin: POST, drip: ' ' },
  'that says nothing': { begin: '', drip: '' },
  // Together they are more than the system's buffers of a connection hold.
  'that does not read': { begin: headOf('GET', '/openapi.json').repeat(6), drip: '\r\n' },
} as const;

let gateway: DemoGateway;

beforeAll(async () => {
  gateway = await startDemoGateway({ env: { HOST: '0.0.0.0', CONNECTIONS_PER_ADDRESS: String(MOST) } });
});
afterAll(async () => {
  gateway.kill('SIGTERM');
  await gateway.exited;
});

const connectTo = (host: string): Socket =>
  connect(Number(new URL(gateway.url).port), host).on('error', () => undefined);

const untilClosed = (socket: Socket): Promise<void> => new Promise(resolve => socket.once('close', () => resolve()));

describe(`of ${CLIENTS} slow clients, all at once`, () => {
  /** How long each was borne, by its kind. */
  const borneMs = new Map<keyof typeof KINDS, number[]>();
  const statuses: number[] = [];

  beforeAll(async () => {
    const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];
    let isOver = false;
    const sends = async (): Promise<void> => {
      while (!isOver) statuses.push((await send(gateway, gateway.demo.tokens.unified)).status);
    };
    const sending = sends();
    const slow: Promise<unknown>[] = [];
    for (let index = 0; index < CLIENTS; index++) {
      const kind = kinds[index % kinds.length] ?? 'that says nothing';
      const own = borneMs.get(kind) ?? [];
      borneMs.set(kind, own);
      slow.push(beSlow(kind).then(tookMs => own.push(tookMs)));
      // The system keeps few connections that nobody has taken yet.
      if (index % 100 === 99) await wait(20);
    }
    await Promise.all(slow);
    isOver = true;
    await sending;
  });

  /** Is slow until it is cut off. @returns for how long it was borne, in milliseconds */
  async function beSlow(kind: keyof typeof KINDS): Promise<number> {
    const { begin, drip } = KINDS[kind];
    const socket = connectTo('127.0.0.1');
    const closed = untilClosed(socket);
    await Promise.race([new Promise(resolve => socket.once('connect', resolve)), closed]);
    const beganMs = performance.now();
    socket.write(begin);
    if (kind !== 'that does not read') socket.resume();
    const timer = setInterval(() => {
      if (performance.now() - beganMs > GIVEN_UP_MS) socket.destroy();
      else socket.write(drip);
    }, DRIP_MS);
    await closed;
    clearInterval(timer);
    return performance.now() - beganMs;
  }

  test.each(Object.keys(KINDS) as (keyof typeof KINDS)[])('each %s is cut off in time', kind => {
    const own = borneMs.get(kind) ?? [];
    expect(own).toHaveLength(CLIENTS / Object.keys(KINDS).length);
    expect(Math.max(...own)).toBeLessThan(CUT_MAX_MS);
  });

  test('no send of others is refused meanwhile', () => {
    // The demo account may run out of credits, which is no matter of slow clients.
    expect(statuses.filter(status => status !== 200 && status !== 402)).toEqual([]);
    expect(statuses.length).toBeGreaterThan(0);
  });
});

test('headers above 16 KiB are refused with 431', async () => {
  const client = await speak(gateway.url, headOf('GET', '/healthz', [`X-Large: ${'a'.repeat(16 * 1024)}`]));
  expect(readAnswer(await client.closed()).status).toBe(431);
});

test('an address above 8 KiB is refused with 414', async () => {
  const client = await speak(gateway.url, headOf('GET', `/${'a'.repeat(8 * 1024)}`, ['Connection: close']));
  expect(readAnswer(await client.closed()).status).toBe(414);
});

/** An address of this machine that the gateway does not take for its own; undefined: there is none. */
const other = Object.values(networkInterfaces())
  .flat()
  .find(address => address?.family === 'IPv4' && !address.internal)?.address;
if (other === undefined)
  process.stderr.write('slow-clients.test.ts: no bound of an address, for there is no network\n');

test.skipIf(other === undefined)(
  'an address has as many connections as it may, and room again when one ends',
  async () => {
    /** Opens a connection, and asks. @returns null where it was closed without an answer */
    const open = async (): Promise<Socket | null> => {
      const socket = connectTo(other ?? '');
      socket.write(headOf('GET', '/healthz'));
      const answered = new Promise<Socket>(resolve => socket.once('data', () => resolve(socket)));
      return await Promise.race([answered, untilClosed(socket).then(() => null)]);
    };
    const opened = await Promise.all(Array.from({ length: MOST + 5 }, open));
    const held = opened.filter(socket => socket !== null);
    expect(held).toHaveLength(MOST);
    // The credits of the demo account may all be spent by the sends beside slow clients.
    const { token } = await makeAccount(gateway);
    expect((await send(gateway, token, { sender: 'ACME' })).status).toBe(200);
    held[0]?.destroy();
    await expect.poll(async () => (await open())?.destroy().destroyed).toBe(true);
    for (const socket of held) socket.destroy();
  },
);
