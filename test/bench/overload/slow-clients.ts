/**
 * `npm run bench -- --slow-clients`: a thousand clients that drip their headers, drip their bodies, or do not read their answers. All come
 * at once, while others go on. Each must be cut off within 10 s, and the others must hardly notice.
 */

import { connect, type Socket } from 'node:net';
import { withDatabase } from '../kit/databases.ts';
import { quantileOf, table } from '../kit/figures.ts';
import { type Gateway, withGateway } from '../kit/gateway.ts';
import { atMost, type Goal } from '../kit/goals.ts';
import type { Part } from '../kit/part.ts';
import { type PacedResult, runPaced } from '../load/run-load.ts';
import { loadPlan } from '../sends/sends.ts';

/** How many there are, and how long and how fast the others go on. */
interface SlowPlan {
  readonly clients: number;
  readonly seconds: number;
  /** Sends a second. */
  readonly rate: number;
}

/** How often a byte drips. */
const DRIP_MS = 500;
const WAIT_MAX_MS = 20_000;
/** How often a client that does not read asks for the largest answer of the API. */
const UNREAD_TIMES = 6;
const CONNECTED_AT_ONCE = 100;

const KINDS = ['header drip', 'body drip', 'no read'] as const;
type Kind = (typeof KINDS)[number];

/** How long the clients of a kind were borne, in milliseconds; those who still were there at the end count as `left`. */
export interface SlowKind {
  readonly kind: Kind;
  readonly clients: number;
  readonly p50Ms: number;
  readonly longestMs: number;
  readonly left: number;
}

/** The slow clients that were cut off, and the others with and without them. */
export interface SlowResult {
  readonly kinds: readonly SlowKind[];
  readonly alone: PacedResult;
  readonly beside: PacedResult;
}

/** Measures it on a gateway of its own. */
function measureSlowClients(clusterUrl: string, { clients, seconds, rate }: SlowPlan): Promise<SlowResult> {
  return withDatabase(clusterUrl, url =>
    withGateway('grouped', url, async gateway => {
      const others = () =>
        runPaced({ ...loadPlan(), url: gateway.url, tokens: [gateway.token], rate, connections: 100, seconds });
      await others();
      const alone = await others();
      const [beside, kinds] = await Promise.all([others(), beSlow(gateway, clients)]);
      return { kinds, alone, beside };
    }),
  );
}

async function beSlow(gateway: Gateway, clients: number): Promise<SlowKind[]> {
  const borne = new Map<Kind, number[]>(KINDS.map(kind => [kind, []]));
  const all: Promise<unknown>[] = [];
  for (let index = 0; index < clients; index++) {
    const kind = KINDS[index % KINDS.length] ?? 'no read';
    all.push(drip(gateway, kind).then(tookMs => borne.get(kind)?.push(tookMs)));
    // The system keeps a few hundred connections that nobody has taken yet.
    if (index % CONNECTED_AT_ONCE === 0) await new Promise(resolve => setTimeout(resolve, 20));
  }
  await Promise.all(all);
  return [...borne].map(([kind, times]) => ({
    kind,
    clients: times.length,
    p50Ms: quantileOf(times, 0.5),
    longestMs: Math.max(...times),
    left: times.filter(tookMs => tookMs >= WAIT_MAX_MS).length,
  }));
}

function headOf({ token }: Gateway, kind: Kind): string {
  const authorization = `Authorization: Bearer ${token}\r\n`;
  if (kind === 'header drip') return `POST /api/omni/send HTTP/1.1\r\nHost: bench\r\n${authorization}X-Slow: `;
  if (kind === 'no read') return 'GET /openapi.json HTTP/1.1\r\nHost: bench\r\n\r\n'.repeat(UNREAD_TIMES);
  const body = 'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n';
  return `POST /api/omni/send HTTP/1.1\r\nHost: bench\r\n${authorization}${body}`;
}

/** Is slow until it is cut off; answers how long that took. */
async function drip(gateway: Gateway, kind: Kind): Promise<number> {
  const { hostname, port } = new URL(gateway.url);
  const socket: Socket = connect(Number(port), hostname);
  // A cut connection may show as an error.
  socket.on('error', () => undefined);
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
  await new Promise<void>(resolve => socket.once('connect', resolve));
  const beganMs = performance.now();
  socket.write(headOf(gateway, kind));
  if (kind === 'no read') socket.pause();
  else socket.resume();
  const timer = setInterval(() => socket.write(kind === 'no read' ? '\r\n' : ' '), DRIP_MS);
  const limit = setTimeout(() => socket.destroy(), WAIT_MAX_MS);
  await closed;
  clearInterval(timer);
  clearTimeout(limit);
  return performance.now() - beganMs;
}

/** The cut-offs of slow clients, and their effect on the others, as tables. */
function slowReport({ kinds, alone, beside }: SlowResult): string {
  const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
  return [
    table([
      ['slow clients, all at once', 'clients', 'p50 s', 'longest s', 'left'],
      ...kinds.map(({ kind, clients, p50Ms, longestMs, left }) => [
        kind,
        String(clients),
        seconds(p50Ms),
        seconds(longestMs),
        String(left),
      ]),
    ]),
    '',
    `p99 of the others, alone and beside them:    ${alone.accepted.p99Ms.toFixed(1)} ms, ${beside.accepted.p99Ms.toFixed(1)} ms`,
    `Answered alone ${alone.accepted.count}, beside them ${beside.accepted.count}; refused ${beside.refused.count}; others ${JSON.stringify(beside.others)}`,
  ].join('\n');
}

/** When each must be cut off, and how little the others may feel of them. */
function goalsOf({ kinds, alone, beside }: SlowResult): Goal[] {
  return [
    ...kinds.map(({ kind, longestMs }) => atMost(`slow clients, ${kind}, longest`, longestMs / 1_000, 10, 's')),
    atMost('others beside slow clients, p99', beside.accepted.p99Ms / alone.accepted.p99Ms, 1.2),
    atMost('others beside slow clients, refused', beside.refused.count, 0),
  ];
}

const PLAN: SlowPlan = { clients: 1_000, seconds: 20, rate: 100 };

/** Slow clients, while others go on. */
export const slowClientsPart: Part = {
  flag: '--slow-clients',
  about: 'a thousand clients that send or read slowly',
  isApart: true,
  async run({ clusterUrl, say }) {
    const result = await measureSlowClients(clusterUrl, PLAN);
    say(slowReport(result));
    return goalsOf(result);
  },
};
