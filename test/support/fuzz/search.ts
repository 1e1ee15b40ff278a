/** A search for inputs that a target does not stand: inputs that reach new code are kept, and changed further. */
import { openCoverage, type Ran, Reached } from './coverage.ts';
import { chanceOf, mutate } from './mutate.ts';

/** The code that is searched, with inputs to begin with. */
export interface FuzzTarget {
  readonly name: string;
  /** Words that the code looks for, which chance would hardly find. */
  readonly tokens: readonly string[];
  /** The inputs that the search begins with. */
  readonly seeds: readonly (string | Buffer)[];
  /** The most CPU time of one input, in milliseconds; 500 where absent. */
  readonly cpuMsMax?: number;
  /** Runs the code on an input. @throws Error where the code does not do what it must */
  readonly run: (input: Buffer) => void | Promise<void>;
}

/** An input that fails. */
export interface Finding {
  readonly input: Buffer;
  readonly fault: string;
}

/** The result of a search. */
export interface SearchResult {
  readonly runs: number;
  /** Characters of the sources that were reached. */
  readonly reached: number;
  /** The inputs that reached some first. */
  readonly kept: readonly Buffer[];
  readonly finding: Finding | null;
}

/** How a search is run. */
export interface SearchPlan {
  readonly seed: number;
  readonly ms: number;
  /** Inputs that were kept before. */
  readonly kept?: readonly Buffer[];
  /** Whether what is reached guides it; a blind search is what it is compared with. */
  readonly isGuided?: boolean;
}

/** Reading the counters takes as long as dozens of inputs. They are read for a batch, and for parts of it only where it reached new code. */
const BATCH = 64;

/** How many inputs are run at least, however slow the machine is. */
const RUNS_MIN = 1_024;

/** Runs a target once. @returns the fault; null: none */
export async function faultOf(target: FuzzTarget, input: Buffer): Promise<string | null> {
  const before = process.cpuUsage();
  try {
    await target.run(Buffer.from(input));
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1_000;
  return cpuMs > (target.cpuMsMax ?? 500) ? `took ${cpuMs.toFixed(0)} ms of CPU time` : null;
}

/** Searches until the time is over or an input fails, which is then made as short as it still fails. */
export async function search(target: FuzzTarget, plan: SearchPlan): Promise<SearchResult> {
  const chance = chanceOf(plan.seed);
  const tokens = target.tokens.map(token => Buffer.from(token, 'latin1'));
  const corpus: Buffer[] = [];
  const reached = new Reached();
  const coverage = openCoverage();
  let runs = 0;
  const runBatch = async (inputs: readonly Buffer[]): Promise<Finding | null> => {
    for (const input of inputs) {
      const fault = await faultOf(target, input);
      runs += 1;
      if (fault !== null) return { input: await shorten(target, input), fault };
    }
    if (plan.isGuided !== false) await keepNew(inputs, coverage.take());
    return null;
  };
  /** Keeps those that reach new code, which are looked for by halves. */
  const keepNew = async (inputs: readonly Buffer[], ran: Ran): Promise<void> => {
    const [input] = inputs;
    if (input === undefined || !reached.isNew(ran)) return;
    if (inputs.length === 1) {
      corpus.push(input);
      reached.add(ran);
      return;
    }
    const middle = inputs.length >> 1;
    for (const half of [inputs.slice(0, middle), inputs.slice(middle)]) {
      for (const one of half) await faultOf(target, one);
      await keepNew(half, coverage.take());
    }
  };
  try {
    const seeds = [...target.seeds, ...(plan.kept ?? [])].map(seed => Buffer.from(seed as string));
    let finding = await runBatch(seeds);
    const endsAtMs = performance.now() + plan.ms;
    // Seeds that reach nothing of their own are as good to begin from.
    const pick = (): Buffer => {
      const at = chance(seeds.length + corpus.length);
      return seeds[at] ?? corpus[at - seeds.length] ?? Buffer.alloc(0);
    };
    while (finding === null && (runs < RUNS_MIN || performance.now() < endsAtMs))
      finding = await runBatch(Array.from({ length: BATCH }, () => mutate(pick(), pick(), tokens, chance)));
    return { runs, reached: reached.size, kept: corpus, finding };
  } finally {
    coverage.close();
  }
}

/** Takes pieces away, ever smaller ones, as long as it still fails. */
async function shorten(target: FuzzTarget, failing: Buffer): Promise<Buffer> {
  let input = failing;
  for (let size = input.length >> 1; size >= 1; size >>= 1) {
    for (let at = 0; at < input.length; ) {
      const less = Buffer.concat([input.subarray(0, at), input.subarray(at + size)]);
      if ((await faultOf(target, less)) === null) at += size;
      else input = less;
    }
  }
  return input;
}
