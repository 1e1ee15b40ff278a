/**
 * The load: a process of its own that sends over keep-alive connections, one request at a time on each, for a warm-up and a
 * measured time, and prints what was answered. It speaks HTTP/1.1 over bare sockets, since it shares the cores with what it
 * measures: an HTTP client would cost as much as the gateway. Started by `startLoad` with its plan as the only argument.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { summarise } from './figures.ts';
import type { LoadPlan, LoadResult } from './run-load.ts';

const HEAD_END = Buffer.from('\r\n\r\n');

/** Phones that no magic recipient of the sandbox is among; every send has another one. */
const PHONES_FROM = 6_000_000;
const PHONES = 3_000_000;

const plan: LoadPlan = JSON.parse(process.argv[2] ?? '');
const { hostname, port } = new URL(plan.url);
const startedMs = performance.now();
const measureFromMs = startedMs + plan.warmUpSeconds * 1_000;
const endsAtMs = measureFromMs + plan.seconds * 1_000;

let sent = 0;
let answered = 0;
const latenciesMs: number[] = [];
let cpuAtMeasure: NodeJS.CpuUsage | null = null;

/** One request, with a reference and a recipient that no other one has. */
function nextRequest(): string {
  const serial = sent++;
  const body = JSON.stringify({
    to: `+1202${PHONES_FROM + (serial % PHONES)}`,
    text: plan.text,
    channels: ['sms'],
    sender: plan.sender,
    reference: `${plan.runId}-${serial}`,
  });
  return `POST ${plan.path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${plan.token}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Sends on one connection until the time is over. @throws where an answer is not 200. */
async function drive(socket: Socket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let pending = Buffer.alloc(0);
  let sentAtMs = 0;
  const send = (): void => {
    sentAtMs = performance.now();
    if (sentAtMs >= endsAtMs) {
      resolve();
      return;
    }
    if (cpuAtMeasure === null && sentAtMs >= measureFromMs) cpuAtMeasure = process.cpuUsage();
    socket.write(nextRequest());
  };
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the server closed a connection')));
  socket.on('data', chunk => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const end = answerEnd(pending);
    if (end < 0 || pending.length < end) return;
    if (!pending.subarray(0, 12).equals(OK)) return reject(new Error(`not 200: ${pending.toString()}`));
    pending = pending.subarray(end);
    const nowMs = performance.now();
    answered++;
    if (sentAtMs >= measureFromMs && nowMs <= endsAtMs) latenciesMs.push(nowMs - sentAtMs);
    send();
  });
  send();
  await promise;
  socket.removeAllListeners('close').destroy();
}

const OK = Buffer.from('HTTP/1.1 200');

/** Where the first answer in the bytes ends, or -1 while its head is not there. */
function answerEnd(bytes: Buffer): number {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return -1;
  const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, headEnd))?.[1];
  if (length === undefined) throw new Error('an answer without Content-Length');
  return headEnd + HEAD_END.length + Number(length);
}

const sockets = await Promise.all(
  Array.from({ length: plan.connections }, async () => {
    const socket = connect(Number(port), hostname).setNoDelay();
    await once(socket, 'connect');
    return socket;
  }),
);
await Promise.all(sockets.map(drive));
const { user, system } = process.cpuUsage(cpuAtMeasure ?? undefined);
const result: LoadResult = {
  ...summarise(latenciesMs, plan.seconds),
  answered,
  coreShare: (user + system) / 1e6 / plan.seconds,
};
process.stdout.write(JSON.stringify(result));
