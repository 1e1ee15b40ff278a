/** The cost of one kind of request for the process that answers it. */
import { cpuUsOf } from '../kit/costs.ts';
import { median } from '../kit/figures.ts';
import type { Bench } from '../kit/part.ts';
import { runSame, type SamePlan, type Server } from '../load/run-load.ts';

/** One kind of request, and who answers it. */
export interface Asked extends Pick<SamePlan, 'path' | 'body' | 'status' | 'token'> {
  readonly title: string;
  readonly server: Server;
}

/** The CPU time of a request, and how many were answered a second. */
export interface RequestCost {
  readonly cpuUs: number;
  readonly perSecond: number;
}

const CALLERS = 32;

async function measureOnce({ title: _, server, ...request }: Asked, times: Bench['times']): Promise<RequestCost> {
  const plan = { ...request, url: server.url, connections: CALLERS, warmUpSeconds: 0 };
  await runSame({ ...plan, seconds: times.warmUpSeconds });
  const beforeUs = await cpuUsOf(server.pid);
  const run = await runSame({ ...plan, seconds: times.seconds });
  return { cpuUs: ((await cpuUsOf(server.pid)) - beforeUs) / run.answered, perSecond: run.sendsPerSecond };
}

/** Asks in turn, so that a noisy minute of the machine falls on all of them alike; answers the medians in the order of `all`. */
export async function measureRequests(
  all: readonly Asked[],
  { rounds, times }: Pick<Bench, 'rounds' | 'times'>,
): Promise<RequestCost[]> {
  const runs: RequestCost[][] = all.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, asked] of all.entries()) runs[index]?.push(await measureOnce(asked, times));
  return runs.map(list => ({
    cpuUs: median(list.map(run => run.cpuUs)),
    perSecond: median(list.map(run => run.perSecond)),
  }));
}
