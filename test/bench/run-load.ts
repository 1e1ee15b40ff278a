/** Starts the load, and the server that shows what the load itself can do. */
import { once } from 'node:events';
import { join } from 'node:path';
import { runChild, startChild, stopChild } from './children.ts';
import type { Figures } from './figures.ts';

/** What the load is told. */
export interface LoadPlan {
  readonly url: string;
  readonly path: string;
  readonly token: string;
  readonly sender: string;
  readonly text: string;
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Makes the references of this run unlike those of any other. */
  readonly runId: string;
}

/** What the load reports: the figures of the measured time, and what was answered in the whole run. */
export interface LoadResult extends Figures {
  /** Answers 200, warm-up included. Any other answer ends the load with an error. */
  readonly answered: number;
  /** How much of one core the load itself used. */
  readonly coreShare: number;
}

/** Runs the load to its end. @throws where an answer is not 200, or a connection breaks. */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  return JSON.parse(await runChild(process.execPath, [join(import.meta.dirname, 'load.ts'), JSON.stringify(plan)]));
}

/** What the load can do at most: against a server that reads a request and answers a constant. */
export async function runCeiling(plan: Omit<LoadPlan, 'url'>): Promise<LoadResult> {
  const server = startChild(process.execPath, [join(import.meta.dirname, 'null-server.ts')]);
  try {
    if (server.process.stdout) await once(server.process.stdout, 'data');
    return await runLoad({ ...plan, url: server.output().trim() });
  } finally {
    await stopChild(server);
  }
}
