/** `inbound-load.ts <plan as JSON>`: brings messages at a given rate, each as a gateway does by GET, and prints how they were answered as JSON. */
import { pacedGets } from '../load/paced-asks.ts';
import type { InboundPlan } from './flood.ts';

const plan: InboundPlan = JSON.parse(process.argv[2] ?? '');
const { origin, pathname } = new URL(plan.inboundUrl);
let count = 0;

/** Each message is another one, of another person. */
function nextPath(): string {
  const serial = count++;
  const from = `1202${String(5_600_000 + (serial % 100_000))}`;
  return `${pathname}?from=${from}&to=${plan.to}&text=Yes%2C+please.&id=${plan.run}-${serial}`;
}

process.stdout.write(JSON.stringify(await pacedGets(origin, plan, nextPath)));
