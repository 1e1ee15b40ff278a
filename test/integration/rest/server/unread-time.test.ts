import type { Socket } from 'node:net';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Listener, listen } from '../../../../src/rest/server/listen.ts';
import { headOf, speak } from '../../../support/processes/raw-http.ts';

// The times of a server, but shorter.
const TIMES = { headersMs: 5_000, requestMs: 5_000, keepAliveMs: 5_000, unreadMs: 1_000, checkEveryMs: 50 };
const CALLERS = 60;
const CHUNK = Buffer.alloc(64 * 1024);

let listener: Listener;
/** The sockets of the server. */
const sockets = new Set<Socket>();
/** How many pieces the answers were asked for, which goes on as long as somebody takes some. */
let pieces = 0;

beforeAll(async () => {
  const endless = () =>
    new ReadableStream({
      pull(controller) {
        pieces += 1;
        controller.enqueue(CHUNK);
      },
    });
  listener = await listen(() => new Response(endless()), {
    host: '127.0.0.1',
    port: 0,
    times: TIMES,
    admission: (request, _response, enter) => {
      sockets.add(request.socket);
      void enter({ peer: '127.0.0.1' });
    },
  });
});
afterAll(() => listener.drain(100));

/**
 * Waits as long as a client may go without reading. Timers of one length end in the order in which they began, however late: each of these
 * began after that of every socket, so what they wait for has happened when they end.
 */
async function passUnreadTime(): Promise<void> {
  // A look, after which nobody who does not read is listened to; then the two times after which Node has seen no progress.
  for (const ms of [TIMES.checkEveryMs, TIMES.unreadMs, TIMES.unreadMs]) await wait(ms);
  await setImmediate();
}

test('all who do not read are cut within twice the time, however many they are and whatever they go on to say', async () => {
  const clients = await Promise.all(Array.from({ length: CALLERS }, () => speak(listener.url)));
  for (const { socket } of clients) {
    socket.pause();
    socket.write(headOf('GET', '/'));
  }
  const talk = setInterval(() => clients.forEach(({ socket }) => void socket.write('\r\n')), 20);
  // Once more where the system has taken some of an answer meanwhile.
  for (let before = -1; sockets.size < CALLERS || before !== pieces; await passUnreadTime()) before = pieces;
  clearInterval(talk);
  expect([...sockets].filter(({ destroyed }) => !destroyed)).toHaveLength(0);
  for (const { socket } of clients) socket.destroy();
});
