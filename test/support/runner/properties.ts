/**
 * Properties: how often each is tried, and the seeds of those that have failed once. A seed is kept in `test/seeds.jsonl`, a line for each,
 * and replayed before anything else: what was found once by chance is found ever after. Commit the line with the repair.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { REPOSITORY } from '../repository.ts';
import { rounds } from './rounds.ts';

/** How often a property of values alone is tried: 200 times, and 10,000 times in a night (`TEST_ROUNDS=20`). More where it says so. */
export function runs(usual = 200): number {
  return rounds({ usual, long: Math.max(500, usual) });
}

/** A failure that is replayed. */
export interface Kept {
  /** The file and the test, and which of its properties, from 0. */
  readonly test: string;
  readonly property: number;
  readonly seed: number;
  /** The way to the smallest values that failed. */
  readonly path: string;
}

/** The file of the seeds that are kept. */
export const SEEDS = join(REPOSITORY, 'test/seeds.jsonl');

/** Tries a property: first with the seeds that are kept of it, then as often as `runs` says. @throws the error of fast-check for the first that fails */
export function assertProperty<Ts>(property: fc.IAsyncProperty<Ts>, given?: fc.Parameters<Ts>): Promise<void>;
export function assertProperty<Ts>(property: fc.IProperty<Ts>, given?: fc.Parameters<Ts>): void;
export function assertProperty<Ts>(
  property: fc.IAsyncProperty<Ts> | fc.IProperty<Ts>,
  given: fc.Parameters<Ts> = {},
): Promise<void> | void {
  return assertKeeping(property, given, SEEDS, placeNow());
}

/** The same with seeds of another file and place. */
export function assertKeeping<Ts>(
  property: fc.IRawProperty<Ts>,
  given: fc.Parameters<Ts>,
  file: string,
  place: Pick<Kept, 'test' | 'property'>,
): Promise<void> | void {
  const kept = readKept(file, place);
  const plans: fc.Parameters<Ts>[] = [
    ...kept.map(({ seed, path }) => ({ ...given, seed, path, endOnFailure: true })),
    { numRuns: runs(), ...given },
  ];
  const judge = (details: fc.RunDetails<Ts>): void => {
    if (!details.failed) return;
    const { seed, counterexamplePath: path, errorInstance: cause } = details;
    if (path !== null && !kept.some(known => known.seed === seed)) {
      appendFileSync(file, `${JSON.stringify({ ...place, seed, path } satisfies Kept)}\n`);
    }
    throw new Error(`${fc.defaultReportMessage(details)}\nKept in ${file}`, { cause });
  };
  const from = (first: number): Promise<void> | void => {
    for (const [index, plan] of plans.entries()) {
      if (index < first) continue;
      const details = fc.check(property, plan);
      if (!(details instanceof Promise)) judge(details);
      else return details.then(judge).then(() => from(index + 1));
    }
  };
  return from(0);
}

/** A deliberate fault is found within so many tries. */
const BROKEN_RUNS = 300;

/** Expects a broken property to be found out: a property that finds no fault says nothing. */
export async function expectFound<Ts>(property: fc.IAsyncProperty<Ts>, fault: RegExp): Promise<void> {
  const { failed, errorInstance } = await fc.check(property, { numRuns: BROKEN_RUNS, endOnFailure: true });
  expect([failed, String(errorInstance)]).toEqual([true, expect.stringMatching(fault)]);
}

function readKept(file: string, { test, property }: Pick<Kept, 'test' | 'property'>): Kept[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map((line): Kept => JSON.parse(line))
    .filter(kept => kept.test === test && kept.property === property);
}

let last = { test: '', property: 0 };

/** The test that runs, and which of its properties comes now. */
function placeNow(): Pick<Kept, 'test' | 'property'> {
  const { testPath = '', currentTestName = '' } = expect.getState();
  const test = `${testPath.slice(REPOSITORY.length).replaceAll('\\', '/').replace(/^\//, '')} > ${currentTestName}`;
  last = { test, property: last.test === test ? last.property + 1 : 0 };
  return last;
}
