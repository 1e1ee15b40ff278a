/**
 * The load of OTP pairs: a process of its own whose callers send an OTP and verify its code, over and over. `runPairs` starts it with its
 * plan as the only argument, and reads the figures that it prints.
 */

import { summarisePairs } from '../kit/figures.ts';
import { readCodes } from './codes.ts';
import { drive } from './drive.ts';
import type { HttpSocket } from './http-socket.ts';
import { phoneOf } from './phones.ts';
import type { PairPlan, PairResult } from './run-load.ts';

const plan: PairPlan = JSON.parse(process.argv[2] ?? '');
const codes = await readCodes(plan.codes);
let sent = 0;

/** Posts, and answers the `pinId` of `data` and the time taken. @throws Error if the answer is not 200, or of another status */
async function post(
  connection: HttpSocket,
  path: string,
  body: object,
  expected: string,
): Promise<{ pinId: string; ms: number }> {
  const beganMs = performance.now();
  const answer = await connection.post(path, JSON.stringify(body));
  const ms = performance.now() - beganMs;
  if (answer.status !== 200) throw new Error(`not 200: ${answer.status} ${answer.body.toString()}`);
  const { data }: { data: { pinId: string; status: string } } = JSON.parse(answer.body.toString());
  if (data.status !== expected) throw new Error(`not ${expected}: ${answer.body.toString()}`);
  return { pinId: data.pinId, ms };
}

const { answered, measured, coreShare } = await drive(plan, async connection => {
  const recipient = phoneOf(sent++);
  const request = { to: `+${recipient}`, channels: ['sms'], sender: plan.sender };
  const send = await post(connection, '/api/omni/otp/send', request, 'sent');
  const pin = await codes.take(recipient);
  const verify = await post(connection, '/api/omni/otp/verify', { pinId: send.pinId, pin }, 'verified');
  return [send.ms, verify.ms];
});
codes.close();
const result: PairResult = { ...summarisePairs(measured, plan.seconds), answered, coreShare };
process.stdout.write(JSON.stringify(result));
