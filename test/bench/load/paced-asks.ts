/**
 * Requests at a given rate, as providers report and bring messages. The connections stay open, each with one request at a time. A request
 * that finds none free comes later.
 */
import { type Latency, latencyOf } from '../kit/figures.ts';
import { type Answer, HttpSocket } from './http-socket.ts';

/** The rate and the length of the load. */
export interface AskPlan {
  /** A second. */
  readonly rate: number;
  readonly connections: number;
  readonly seconds: number;
}

/** How it was answered; how long that took counts from when it was due. */
export interface AskResult extends Latency {
  /** With 200. */
  readonly answered: number;
  readonly refused: number;
}

/** Asks for one path after another, by GET. */
export function pacedGets(origin: string, plan: AskPlan, nextPath: () => string): Promise<AskResult> {
  return pacedAsks(origin, plan, connection => connection.get(nextPath()));
}

/** Asks by `next`, which is given a free connection each time. */
export async function pacedAsks(
  origin: string,
  plan: AskPlan,
  next: (connection: HttpSocket) => Promise<Answer>,
): Promise<AskResult> {
  const tookMs: number[] = [];
  let refused = 0;
  const free = await Promise.all(Array.from({ length: plan.connections }, () => HttpSocket.open(origin, null)));
  const ask = async (connection: HttpSocket, dueAtMs: number): Promise<void> => {
    const { status } = await next(connection);
    if (status === 200) tookMs.push(performance.now() - dueAtMs);
    else refused += 1;
    free.push(connection);
  };
  const beganMs = performance.now();
  const under = new Set<Promise<void>>();
  const over = Promise.withResolvers<void>();
  let due = 0;
  const timer = setInterval(() => {
    const sinceMs = Math.min(performance.now() - beganMs, plan.seconds * 1_000);
    const total = Math.floor((sinceMs * plan.rate) / 1_000);
    for (; due < total; due++) {
      const connection = free.shift();
      if (!connection) break;
      const asking = ask(connection, beganMs + (due * 1_000) / plan.rate).finally(() => under.delete(asking));
      under.add(asking);
    }
    if (sinceMs >= plan.seconds * 1_000) over.resolve();
  }, 1);
  await over.promise;
  clearInterval(timer);
  await Promise.all(under);
  for (const connection of free) connection.close();
  return { answered: tookMs.length, refused, ...latencyOf(tookMs) };
}
