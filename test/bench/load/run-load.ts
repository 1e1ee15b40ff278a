/** Starts the loads, and the server that shows what a load itself can do. */
import { once } from 'node:events';
import { join } from 'node:path';
import { runChild, startChild, stopChild } from '../kit/children.ts';
import type { Figures, Latency, PairFigures } from '../kit/figures.ts';
import type { Driven, DrivePlan } from './drive.ts';

/** The arguments of the load of plain sends. */
export interface LoadPlan extends DrivePlan {
  readonly path: string;
  readonly sender: string;
  readonly text: string;
  /** Makes the references of this run unlike those of any other. */
  readonly runId: string;
  /** The last digits of every recipient: an SMSC of the bench goes by the last one. Absent: any digits. */
  readonly ending?: string;
  /** A mutation with the variable `input`, where the path is the one of GraphQL. */
  readonly document?: string;
}

/** The arguments of the load of one request over and over. */
export interface SamePlan extends DrivePlan {
  readonly path: string;
  /** The JSON text to post; absent: a GET. */
  readonly body?: string;
  /** The status that each answer must have. */
  readonly status: number;
}

/** The arguments of the load of sends at a given rate. */
export interface PacedPlan {
  readonly url: string;
  /** A token of each account, in whose name it sends in turn. */
  readonly tokens: readonly string[];
  /** Requests a second. */
  readonly rate: number;
  readonly connections: number;
  readonly seconds: number;
  readonly path: string;
  readonly sender: string;
  readonly text: string;
  readonly runId: string;
  /** The template of a cloud chat, by which it sends; absent: by SMS. */
  readonly cloudTemplate?: object;
}

/** How many, and how fast. */
export interface Answers extends Latency {
  readonly count: number;
  readonly p95Ms: number;
}

/** The report of the load at a given rate. */
export interface PacedResult {
  /** Sends that were due; `unsent` of them found no free connection. */
  readonly offered: number;
  readonly unsent: number;
  readonly answered: number;
  /** Of them, refusals that do not say when to come again. */
  readonly unadvised: number;
  /** Answered 200. */
  readonly accepted: Answers;
  /** The time of each of them, in milliseconds. */
  readonly acceptedMs: readonly number[];
  /** Answered 503 or 429. */
  readonly refused: Answers;
  /** Other answers by their status, and `broken` connections. */
  readonly others: Readonly<Record<string, number>>;
}

/** The arguments of the load of OTP pairs. */
export interface PairPlan extends DrivePlan {
  readonly sender: string;
  /** The socket at which the gateway tells the codes. */
  readonly codes: string;
}

/**
 * The report of a load: the figures of the measured time, and the count of answers in the whole run. Any answer but 200 ends the load with
 * an error.
 */
export type LoadResult = Figures & Omit<Driven, 'measured'>;

/** The report of the load of OTP pairs. */
export type PairResult = PairFigures & Omit<Driven, 'measured'>;

/** Runs the load of plain sends to its end. @throws Error if an answer is not 200, or a connection breaks */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  return JSON.parse(await runProgram('load.ts', plan));
}

/** Runs the load of one request to its end. @throws Error if an answer has another status, or a connection breaks */
export async function runSame(plan: SamePlan): Promise<LoadResult> {
  return JSON.parse(await runProgram('same-load.ts', plan));
}

/** Runs the load of OTP pairs to its end. @throws Error if an answer is not 200, a code is not told, or a connection breaks */
export async function runPairs(plan: PairPlan): Promise<PairResult> {
  return JSON.parse(await runProgram('pair-load.ts', plan));
}

/** Runs the load at a given rate to its end. */
export async function runPaced(plan: PacedPlan): Promise<PacedResult> {
  return JSON.parse(await runProgram('paced-load.ts', plan));
}

function runProgram(name: string, plan: object): Promise<string> {
  return runChild(process.execPath, [join(import.meta.dirname, name), JSON.stringify(plan)]);
}

/** The most that the load can do: against a server that reads a request and answers a constant. */
export function runCeiling(plan: Omit<LoadPlan, 'url'>): Promise<LoadResult> {
  return withServer(join(import.meta.dirname, 'null-server.ts'), ({ url }) => runLoad({ ...plan, url }));
}

/** A server that is compared with. */
export interface Server {
  readonly url: string;
  readonly pid: number;
}

/** Gives `use` a program that prints its URL when it listens, and stops it whatever happens. */
export async function withServer<Result>(program: string, use: (server: Server) => Promise<Result>): Promise<Result> {
  const server = startChild(process.execPath, [program]);
  try {
    if (server.process.stdout) await once(server.process.stdout, 'data');
    return await use({ url: server.output().trim(), pid: server.process.pid ?? 0 });
  } finally {
    await stopChild(server);
  }
}
