import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMetrics } from '../../../../src/observability/metrics.ts';
import { boundConnections } from '../../../../src/rest/overload/connection-bound.ts';
import { type Listener, listen } from '../../../../src/rest/server/listen.ts';
import { SERVER_TIMES } from '../../../../src/rest/server/server-times.ts';
import { headOf, speak } from '../../../support/processes/raw-http.ts';

const MIB = 1024 * 1024;
/** More than the buffers of the system take. */
const LARGE = 'x'.repeat(16 * MIB);
const CALLERS = 20;

const metrics = createMetrics(false);
let listener: Listener;
/** How many answers have been begun. */
let begun = 0;

beforeAll(async () => {
  const answer = (): Response => {
    begun++;
    return new Response(LARGE);
  };
  listener = await listen(answer, { host: '127.0.0.1', port: 0, metrics });
});
afterAll(() => listener.drain(100));

const unreadBytes = async (): Promise<number> => (await metrics.unreadBytes.get()).values[0]?.value ?? 0;

test('answers that nobody reads take up no more than they may, and cost who reads nothing', async () => {
  const callers = [];
  for (let index = 0; index < CALLERS; index++) {
    const caller = await speak(listener.url);
    caller.socket.pause();
    caller.socket.write(headOf('GET', '/large'));
    callers.push(caller);
  }
  // One whose answer has come knows that those before it have been begun.
  const reader = await speak(listener.url, headOf('GET', '/large', ['Connection: close']));
  expect((await reader.closed()).endsWith('xxxx')).toBe(true);
  expect(begun).toBe(CALLERS + 1);
  const last = await speak(listener.url, headOf('GET', '/large', ['Connection: close']));
  expect((await last.closed()).endsWith('xxxx')).toBe(true);
  expect(await unreadBytes()).toBeLessThanOrEqual(64 * MIB);
  for (const { socket } of callers) socket.destroy();
});

test('many large answers in one turn are cut at once, not at the next look', async () => {
  // So that nothing but the answers themselves has them counted.
  const times = { ...SERVER_TIMES, unreadMs: 600_000, checkEveryMs: 600_000 };
  const allAsked = Promise.withResolvers<void>();
  let asked = 0;
  const answer = async (): Promise<Response> => {
    if (++asked === CALLERS) allAsked.resolve();
    await allAsked.promise;
    return new Response(LARGE);
  };
  const other = await listen(answer, { host: '127.0.0.1', port: 0, times });
  const callers = await Promise.all(Array.from({ length: CALLERS }, () => speak(other.url)));
  let cut = 0;
  const enough = Promise.withResolvers<void>();
  for (const { socket } of callers) {
    socket.pause();
    socket.write(headOf('GET', '/large'));
    socket.once('close', () => {
      if (++cut === CALLERS - 64 / 16) enough.resolve();
    });
  }
  // A socket that reads nothing learns of its end by writing.
  const timer = setInterval(() => callers.forEach(({ socket }) => void socket.write('\r\n')), 20);
  await enough.promise;
  clearInterval(timer);
  for (const { socket } of callers) socket.destroy();
  await other.drain(100);
});

test('connections of an address beyond its bound are closed, and others come in when one has ended', async () => {
  const bound = boundConnections({
    connectionsPerAddress: 2,
    connectionsPerAccount: 2,
    trustedProxies: null,
    metrics,
    log: { warn: () => undefined },
  });
  // Its own callers are all from this machine, which has no bound.
  const left = Promise.withResolvers<void>();
  const enter = () => {
    const leave = bound.enter('192.0.2.1');
    return (
      leave &&
      (() => {
        leave();
        left.resolve();
      })
    );
  };
  const other = await listen(() => new Response('ok'), { host: '127.0.0.1', port: 0, bound: { enter } });
  const first = await speak(other.url);
  const second = await speak(other.url);
  const third = await speak(other.url, headOf('GET', '/'));
  expect(await third.closed()).toBe('');
  second.socket.destroy();
  await left.promise;
  const fourth = await speak(other.url, headOf('GET', '/', ['Connection: close']));
  expect(await fourth.closed()).toContain('200 OK');
  first.socket.destroy();
  await other.drain(100);
});
