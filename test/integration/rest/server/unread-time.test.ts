import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Listener, listen } from '../../../../src/rest/server/listen.ts';
import { SERVER_TIMES } from '../../../../src/rest/server/server-times.ts';
import { takenBytes } from '../../../../src/rest/server/unread-answers.ts';
import { headOf, type RawClient, speak } from '../../../support/processes/raw-http.ts';

const { unreadMs, checkEveryMs } = SERVER_TIMES;
const CALLERS = 60;
const CHUNK = Buffer.alloc(64 * 1024);

let listener: Listener;
let clients: RawClient[];
/** The sockets of the server. */
const sockets = new Set<Socket>();

beforeAll(async () => {
  // The looks at connections and the clock that they read; all else takes its own time.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const endless = () => new ReadableStream({ pull: controller => controller.enqueue(CHUNK) });
  listener = await listen(() => new Response(endless()), {
    host: '127.0.0.1',
    port: 0,
    admission: (request, _response, enter) => {
      sockets.add(request.socket);
      void enter({ peer: '127.0.0.1' });
    },
  });
  clients = await Promise.all(Array.from({ length: CALLERS }, () => speak(listener.url)));
  for (const { socket } of clients) {
    socket.pause();
    socket.write(headOf('GET', '/'));
  }
  await untilFull();
});
afterAll(async () => {
  vi.useRealTimers();
  for (const { socket } of clients) socket.destroy();
  await listener.drain(100);
});

const taken = (): number => [...sockets].reduce((sum, socket) => sum + takenBytes(socket), 0);

const open = (): number => [...sockets].filter(({ destroyed }) => !destroyed).length;

/** Waits until every connection has as much as the system takes. */
async function untilFull(): Promise<void> {
  for (let before = -1; sockets.size < CALLERS || before !== taken(); await wait(100)) before = taken();
}

/** Clients go on talking while time passes. */
function pass(ms: number): void {
  for (const { socket } of clients) socket.write('\r\n');
  vi.advanceTimersByTime(ms);
}

test('who takes no byte of an answer is cut within a second after the time for it, and who takes one has that time again', async () => {
  pass(unreadMs);
  expect(open()).toBe(CALLERS);
  const [reader] = clients;
  const before = taken();
  reader?.socket.resume();
  await expect.poll(taken).toBeGreaterThan(before);
  reader?.socket.pause();
  await untilFull();
  pass(2 * checkEveryMs);
  expect(open()).toBe(1);
  pass(unreadMs - 2 * checkEveryMs);
  expect(open()).toBe(1);
  pass(2 * checkEveryMs);
  expect(open()).toBe(0);
});
