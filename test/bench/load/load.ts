/**
 * The load of plain sends, a process of its own: one request at a time on each connection. Prints the count of answers. `runLoad` starts it
 * with its plan as the only argument.
 */

import { summarise } from '../kit/figures.ts';
import { drive } from './drive.ts';
import type { LoadPlan, LoadResult } from './run-load.ts';

/** Phones that no magic recipient of the sandbox is among; every send has another one. */
const PHONES_FROM = 6_000_000;
const PHONES = 3_000_000;

const plan: LoadPlan = JSON.parse(process.argv[2] ?? '');
let sent = 0;

/** One request, with a reference and a recipient that no other one has. */
function nextRequest(): string {
  const serial = sent++;
  const phone = PHONES_FROM + (serial % PHONES);
  const to =
    plan.ending === undefined ? `+1202${phone}` : `+1202${String(phone).slice(0, -plan.ending.length)}${plan.ending}`;
  const rest = { text: plan.text, sender: plan.sender, reference: `${plan.runId}-${serial}` };
  return plan.document === undefined
    ? JSON.stringify({ to, channels: ['sms'], ...rest })
    : JSON.stringify({ query: plan.document, variables: { input: { to, channels: ['SMS'], ...rest } } });
}

const { answered, measured, coreShare } = await drive(plan, async connection => {
  const sentAtMs = performance.now();
  const { status, body } = await connection.post(plan.path, nextRequest());
  const isRefused = status !== 200 || (plan.document !== undefined && body.includes('"errors"'));
  if (isRefused) throw new Error(`refused: ${status} ${body.toString()}`);
  return [performance.now() - sentAtMs];
});
const result: LoadResult = { ...summarise(measured.flat(), plan.seconds), answered, coreShare };
process.stdout.write(JSON.stringify(result));
