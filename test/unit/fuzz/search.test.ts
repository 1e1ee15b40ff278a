import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
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

const run = promisify(execFile);

interface Printed {
  readonly runs: number;
  readonly found: { readonly fault: string; readonly input: string } | null;
}

async function search(...given: readonly (string | number)[]): Promise<Printed> {
  const { stdout } = await run(process.execPath, [PROGRAM, ...given.map(String)]);
  return JSON.parse(stdout);
}

describe('a search', () => {
  test.each(TARGETS.map(({ name }) => name))(
    'finds no input that %s does not stand',
    async name => {
      const { runs, found } = await search(name, MS, SEED);
      expect(found, `seed ${SEED}; keep the input (base64) in test/fixtures/fuzz/${name}`).toBe(null);
      expect(runs).toBeGreaterThan(1_000);
    },
    120_000 + 2 * MS,
  );

  test('finds a fault behind four bytes', async () => {
    const { found } = await search('planted-steps', PLANTED_MS, 1);
    expect(found?.fault).toBe('Error: reached');
  });

  test('does not find that fault blind', async () => {
    const { found } = await search('planted-steps', 1_000, 1, 'blind');
    expect(found).toBe(null);
  });

  test.each(['planted-guard', 'planted-names'])('finds the private address that %s lets through', async name => {
    const { found } = await search(name, PLANTED_MS, 1);
    expect(found?.fault).toMatch(/^Fault: the address /);
  });
});
