import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { TARGETS } from '../../support/fuzz/targets.ts';
import { REPOSITORY } from '../../support/repository.ts';
import { rounds } from '../../support/runner/rounds.ts';

const PROGRAM = join(REPOSITORY, 'test', 'support', 'fuzz', 'fuzz-process.ts');
/** No time at all: as many inputs as a search runs at least, the same ones each time. */
const USUAL_MS = 0;
const MS = rounds({ usual: USUAL_MS, long: 5_000 });

/** Longer rounds begin elsewhere each time, so that they see something new. */
const SEED = MS === USUAL_MS ? 1 : Date.now() % 1_000_000;

/** A search for what is planted ends as soon as it is found. */
const PLANTED_MS = 30_000;

const PRIVATE = expect.stringMatching(/^Fault: the address /);

const run = promisify(execFile);

interface Printed {
  readonly name: string;
  readonly runs: number;
  readonly found: { readonly fault: string; readonly input: string } | null;
}

/** Searches targets, one after another. Answers what was printed of each. */
async function search(targets: readonly string[], ...given: readonly (string | number)[]): Promise<Printed[]> {
  const { stdout } = await run(process.execPath, [PROGRAM, targets.join(), ...given.map(String)]);
  return stdout
    .trim()
    .split('\n')
    .map((line): Printed => JSON.parse(line));
}

describe('a search', () => {
  const names = TARGETS.map(({ name }) => name);
  let printed: readonly Printed[];

  // One process for all: to load the sources takes longer than a thousand inputs.
  beforeAll(
    async () => {
      printed = await search(names, MS, SEED);
    },
    names.length * (30_000 + 2 * MS),
  );

  test.each(names)('finds no input that %s does not stand', name => {
    const result = printed.find(one => one.name === name);
    expect(result?.found, `seed ${SEED}; keep the input (base64) in test/fixtures/fuzz/${name}`).toBe(null);
    expect(result?.runs).toBeGreaterThan(1_000);
  });

  test('finds a fault behind four bytes', async () => {
    const [result] = await search(['planted-steps'], PLANTED_MS, 1);
    expect(result?.found?.fault).toBe('Error: reached');
  });

  test('does not find that fault blind', async () => {
    const [result] = await search(['planted-steps'], 1_000, 1, 'blind');
    expect(result?.found).toBe(null);
  });

  test('finds the private address that a target with a gap lets through', async () => {
    const found = await search(['planted-guard', 'planted-names'], PLANTED_MS, 1);
    expect(found.map(one => one.found?.fault)).toEqual([PRIVATE, PRIVATE]);
  });

  test('finds the quote that a cut with a gap leaves', async () => {
    const [result] = await search(['planted-quotes'], PLANTED_MS, 1);
    expect(result?.found?.fault).toMatch(/^Fault: the quote /);
  });
});
