/**
 * The load of one request over and over: a process of its own that prints how often it was answered. Started by `runSame` with its plan
 * as the only argument.
 */

import { summarise } from '../kit/figures.ts';
import { drive } from './drive.ts';
import type { LoadResult, SamePlan } from './run-load.ts';

const plan: SamePlan = JSON.parse(process.argv[2] ?? '');

const { answered, measured, coreShare } = await drive(plan, async connection => {
  const sentAtMs = performance.now();
  const answer = await (plan.body === undefined ? connection.get(plan.path) : connection.post(plan.path, plan.body));
  if (answer.status !== plan.status) throw new Error(`not ${plan.status}: ${answer.status} ${answer.body.toString()}`);
  return [performance.now() - sentAtMs];
});
const result: LoadResult = { ...summarise(measured.flat(), plan.seconds), answered, coreShare };
process.stdout.write(JSON.stringify(result));
