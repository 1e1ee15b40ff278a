/** `receipt-load.ts <plan as JSON>`: reports receipts at a given rate, each as a provider does by GET, and prints how they were answered as JSON. */
import { latencyOf } from '../kit/figures.ts';
import { HttpSocket } from '../load/http-socket.ts';
import type { ReceiptPlan, ReceiptResult } from './receipts.ts';

const plan: ReceiptPlan = JSON.parse(process.argv[2] ?? '');
const { origin, pathname } = new URL(plan.receiptsUrl);
const tookMs: number[] = [];
let refused = 0;
let unsent = 0;
let count = 0;

/** The attempts one after another, again and again; or those of nobody between them. */
function nextPath(): string {
  const serial = count++;
  const isStranger = plan.ofNobody && serial % 2 === 1;
  const known = plan.attemptIds[(plan.ofNobody ? serial >> 1 : serial) % plan.attemptIds.length];
  const nobody = `att_${serial.toString(16).padStart(32, '0')}`;
  return `${pathname}?attempt=${isStranger ? nobody : known}&status=D`;
}

const free = await Promise.all(Array.from({ length: plan.connections }, () => HttpSocket.open(origin, null)));

async function report(connection: HttpSocket): Promise<void> {
  const sentAtMs = performance.now();
  const { status } = await connection.get(nextPath());
  if (status === 200) tookMs.push(performance.now() - sentAtMs);
  else refused += 1;
  free.push(connection);
}

const beganMs = performance.now();
const under = new Set<Promise<void>>();
const over = Promise.withResolvers<void>();
let due = 0;
const timer = setInterval(() => {
  const sinceMs = Math.min(performance.now() - beganMs, plan.seconds * 1_000);
  for (const total = Math.floor((sinceMs * plan.rate) / 1_000); due < total; due++) {
    const connection = free.shift();
    if (!connection) {
      unsent += 1;
      continue;
    }
    const reporting = report(connection).finally(() => under.delete(reporting));
    under.add(reporting);
  }
  if (sinceMs >= plan.seconds * 1_000) over.resolve();
}, 1);
await over.promise;
clearInterval(timer);
await Promise.all(under);
for (const connection of free) connection.close();
const result: ReceiptResult = { answered: tookMs.length, refused, unsent, ...latencyOf(tookMs) };
process.stdout.write(JSON.stringify(result));
