/**
 * `npm run test:mutation`: changes one thing at a time in the policies and statements of money and codes, and runs the tests that should notice.
 * Words behind `--` choose files by a part of their path; `--every 5` tries each fifth mutant. Nothing is written to the sources.
 * Exit status 1 where fewer than 85 of 100 are noticed.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createVitest, type Vitest } from 'vitest/node';
import { REPOSITORY } from '../support/repository.ts';
import { changed } from './changed.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { isSame, SOURCES, testsOf } from './targets.ts';

const SCORE_MIN = 85;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const SEEDS = join(REPOSITORY, 'test/seeds.jsonl');

/** A mutant, and whether a test noticed it. */
interface Tried {
  readonly file: string;
  readonly mutant: Mutant;
  readonly isKilled: boolean;
}

/** The tests that failed last. */
let failed: readonly string[] = [];

/** Runs tests, one part after another. @returns whether all of them passed */
async function pass(vitest: Vitest, tests: readonly string[]): Promise<boolean> {
  for (const part of tests) {
    const specifications = await vitest.globTestSpecifications([part]);
    if (specifications.length === 0) throw new Error(`there are no tests ${part}`);
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
    // The result of an earlier run is told again.
    const own = testModules.filter(({ moduleId }) => specifications.some(one => one.moduleId === moduleId));
    if (unhandledErrors.length === 0 && own.every(module => module.ok())) continue;
    failed = own.flatMap(module => [...module.children.allTests('failed')].map(({ fullName }) => fullName));
    return false;
  }
  return true;
}

/** Tries the mutants of a file. @throws Error if its tests fail without one */
async function tryFile(vitest: Vitest, file: string, mutants: readonly Mutant[]): Promise<Tried[]> {
  const path = join(REPOSITORY, file);
  const tests = testsOf(file);
  if (!(await pass(vitest, tests))) throw new Error(`the tests of ${file} fail without a mutant: ${failed.join('; ')}`);
  // A property that fails over a mutant keeps its seed, which is nobody's.
  const seeds = readFileSync(SEEDS);
  const tried: Tried[] = [];
  for (const mutant of mutants) {
    changed.set(path, mutant.text);
    vitest.invalidateFile(path);
    const isKilled = !(await pass(vitest, tests));
    tried.push({ file, mutant, isKilled });
    say(`${isKilled ? 'noticed ' : 'SURVIVES'} ${nameOf(file, mutant)}`);
    changed.delete(path);
    vitest.invalidateFile(path);
    writeFileSync(SEEDS, seeds);
  }
  return tried;
}

function nameOf(file: string, { line, words, from, to }: Mutant): string {
  return `${file}:${line} ${from.trim()} → ${to.trim() || 'nothing'} | ${words}`;
}

const score = (tried: readonly Tried[]): number =>
  (100 * tried.filter(({ isKilled }) => isKilled).length) / Math.max(1, tried.length);

const { values, positionals } = parseArgs({
  options: { every: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const every = Number(values.every);
const files = globSync(SOURCES, { cwd: REPOSITORY })
  .filter(file => positionals.length === 0 || positionals.some(part => file.includes(part)))
  .sort();
let place = 0;
const plan = files.map(file => {
  const mutants = mutantsOf(readFileSync(join(REPOSITORY, file), 'utf8'), file.endsWith('.sql.ts'));
  return { file, mutants: mutants.filter(mutant => !isSame(file, mutant) && place++ % every === 0) };
});
say(`${place} mutants in ${files.length} files; ${plan.reduce((sum, one) => sum + one.mutants.length, 0)} are tried.`);
const vitest = await createVitest('test', {
  config: join(import.meta.dirname, 'vitest.config.ts'),
  watch: false,
  bail: 1,
  maxWorkers: 1,
  reporters: [{}],
  silent: true,
});
const tried: Tried[] = [];
for (const { file, mutants } of plan) {
  if (mutants.length === 0) continue;
  const own = await tryFile(vitest, file, mutants);
  tried.push(...own);
  say(`${score(own).toFixed(0)} of 100 noticed of ${own.length}: ${file}`);
}
say(`Score: ${score(tried).toFixed(1)} of 100 (${tried.length} mutants; goal: at least ${SCORE_MIN})`);
await vitest.close();
process.exit(score(tried) < SCORE_MIN ? 1 : 0);
