/** `receipt-load.ts <plan as JSON>`: reports receipts at a given rate, each as a provider does by GET, and prints how they were answered as JSON. */
import { pacedGets } from '../load/paced-asks.ts';
import type { ReceiptPlan } from './receipts.ts';

const plan: ReceiptPlan = JSON.parse(process.argv[2] ?? '');
const { origin, pathname } = new URL(plan.receiptsUrl);
let count = 0;

/** The attempts one after another, again and again; or those of nobody between them. */
function nextPath(): string {
  const serial = count++;
  const isStranger = plan.ofNobody && serial % 2 === 1;
  const known = plan.attemptIds[(plan.ofNobody ? serial >> 1 : serial) % plan.attemptIds.length];
  const nobody = `att_${serial.toString(16).padStart(32, '0')}`;
  return `${pathname}?attempt=${isStranger ? nobody : known}&status=D`;
}

process.stdout.write(JSON.stringify(await pacedGets(origin, plan, nextPath)));
