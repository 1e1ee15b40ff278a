/**
 * The receiver of webhooks: a process of its own that answers 200 at once, or never on the path `/hole`. Prints its URLs. HTTP/1.1 is
 * spoken over bare sockets, since the receiver shares the cores with the measured gateway. A second server tells of the deliveries.
 * `/arrivals?count=` waits until so many have come, and tells and forgets them. `/hang-up` breaks off the unanswered requests, and tells
 * how many there were since the last call.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type Server, type Socket } from 'node:net';
import { now } from './arrivals.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok');
const EVENT_ID = /"id":"(evt_[0-9a-f]{32})"/;

/** The deliveries since the last answer to `/arrivals`: ids of events, and when the first bytes of their requests came. */
let eventIds: string[] = [];
let times: number[] = [];
const hanging = new Set<Socket>();
let swallowed = 0;
let told: { count: number; response: ServerResponse } | null = null;

function tellArrivals(): void {
  if (!told || eventIds.length < told.count) return;
  told.response.end(JSON.stringify({ eventIds, times }));
  [eventIds, times, told] = [[], [], null];
}

function receive(socket: Socket): void {
  let bytes: Buffer = Buffer.alloc(0);
  let beganMs = 0;
  socket.setNoDelay();
  socket.on('error', () => socket.destroy());
  socket.once('close', () => hanging.delete(socket));
  socket.on('data', (chunk: Buffer) => {
    if (bytes.length === 0) beganMs = now();
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    const headEnd = bytes.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = bytes.toString('latin1', 0, headEnd);
    const bodyEnd = headEnd + HEAD_END.length + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
    if (bytes.length < bodyEnd) return;
    const eventId = EVENT_ID.exec(bytes.toString('latin1', headEnd, bodyEnd))?.[1] ?? '';
    bytes = bytes.subarray(bodyEnd);
    if (head.startsWith('POST /hole ')) {
      hanging.add(socket);
      swallowed++;
      return;
    }
    socket.write(ANSWER);
    eventIds.push(eventId);
    times.push(beganMs);
    tellArrivals();
  });
}

const control = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://receiver');
  if (pathname === '/hang-up') {
    for (const socket of hanging) socket.destroy();
    response.end(String(swallowed));
    swallowed = 0;
    return;
  }
  told = { count: Number(searchParams.get('count')), response };
  tellArrivals();
});

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
}

// A hole must not be on the same origin as what works, since connections are counted by origin.
const urls = await Promise.all([
  listen(createSocketServer(receive)),
  listen(createSocketServer(receive)),
  listen(control),
]);
process.stdout.write(`${urls.join(' ')}\n`);
process.on('SIGTERM', () => process.exit(0));
