/**
 * The load of plain sends at a given rate, whatever the answers are, in a process of its own. Each due send goes over a free connection, in
 * the name of several accounts in turn. Prints the counts and times of answers. `runPaced` starts it with its plan as the only argument.
 */
import { latencyOf, quantileOf } from '../kit/figures.ts';
import { HttpSocket } from './http-socket.ts';
import type { PacedPlan, PacedResult } from './run-load.ts';

/** Phones that no magic recipient of the sandbox is among. */
const PHONES_FROM = 6_000_000;
const PHONES = 3_000_000;

const plan: PacedPlan = JSON.parse(process.argv[2] ?? '');
const acceptedMs: number[] = [];
const refusedMs: number[] = [];
const others: Record<string, number> = {};
const free: HttpSocket[] = [];
let sent = 0;
let answered = 0;
let unsent = 0;
let unadvised = 0;

const { cloudTemplate, sender } = plan;
const way = cloudTemplate ? { channels: ['chat_cloud'], cloudTemplate } : { channels: ['sms'], sender };

function nextRequest(): string {
  const serial = sent++;
  return JSON.stringify({
    to: `+1202${PHONES_FROM + (serial % PHONES)}`,
    text: plan.text,
    ...way,
    reference: `${plan.runId}-${serial}`,
  });
}

/** Opens connections for every account, in turn, so that one that is taken from the front is of the account whose turn it is. */
async function openAll(): Promise<void> {
  for (let index = 0; index < plan.connections; index++) free.push(await openNext(index));
}

function openNext(index: number): Promise<HttpSocket> {
  return HttpSocket.open(plan.url, plan.tokens[index % plan.tokens.length] ?? '');
}

async function ask(connection: HttpSocket): Promise<void> {
  const sentAtMs = performance.now();
  try {
    const { status, hasRetryAfter } = await connection.post(plan.path, nextRequest());
    answered += 1;
    const tookMs = performance.now() - sentAtMs;
    if (status !== 200 && !hasRetryAfter) unadvised += 1;
    if (status === 200) acceptedMs.push(tookMs);
    else if (status === 503 || status === 429) refusedMs.push(tookMs);
    else others[status] = (others[status] ?? 0) + 1;
    free.push(connection);
  } catch {
    others.broken = (others.broken ?? 0) + 1;
    free.push(await openNext(sent));
  }
}

/** Sends the messages due since the last turn. A message without a free connection is never sent: nobody makes up for it later. */
async function run(): Promise<void> {
  const beganMs = performance.now();
  const endsAtMs = beganMs + plan.seconds * 1_000;
  let due = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const total = Math.floor(((Math.min(nowMs, endsAtMs) - beganMs) * plan.rate) / 1_000);
    for (; due < total; due++) {
      const connection = free.shift();
      if (connection) void ask(connection);
      else unsent += 1;
    }
    if (nowMs < endsAtMs) return;
    clearInterval(timer);
    resolve();
  }, 1);
  await promise;
}

await openAll();
await run();
const limitMs = performance.now() + 30_000;
while (free.length < plan.connections && performance.now() < limitMs)
  await new Promise(resolve => setTimeout(resolve, 20));
for (const connection of free) connection.close();
const result: PacedResult = {
  offered: sent + unsent,
  unsent,
  answered,
  unadvised,
  accepted: { count: acceptedMs.length, p95Ms: quantileOf(acceptedMs, 0.95), ...latencyOf(acceptedMs) },
  acceptedMs,
  refused: { count: refusedMs.length, p95Ms: quantileOf(refusedMs, 0.95), ...latencyOf(refusedMs) },
  others,
};
process.stdout.write(JSON.stringify(result), () => process.exit(0));
