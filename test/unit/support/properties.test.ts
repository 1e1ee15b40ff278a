import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { REPOSITORY } from '../../support/repository.ts';
import { assertKeeping, assertProperty, type Kept, runs } from '../../support/runner/properties.ts';

const PLACE = { test: 'a file > a test', property: 0 };

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'seeds-'));
  file = join(folder, 'seeds.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const keptOf = (): Kept[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line));

/** A property that fails from a number on, and notes what it was tried with. */
function failingFrom(least: number, tried: number[] = []) {
  return fc.property(fc.nat(100_000), value => {
    tried.push(value);
    return value < least;
  });
}

test('a property is tried 200 times at least', () => {
  let tries = 0;
  assertProperty(
    fc.property(fc.nat(), () => {
      tries += 1;
    }),
  );
  expect([tries, tries >= 200]).toEqual([runs(), true]);
});

test.each([
  ['', 200],
  ['0.5', 250],
  ['20', 10_000],
])('with TEST_ROUNDS=%s it is tried %i times', (wanted, times) => {
  const before = process.env.TEST_ROUNDS;
  process.env.TEST_ROUNDS = wanted;
  try {
    expect(runs()).toBe(times);
  } finally {
    if (before === undefined) delete process.env.TEST_ROUNDS;
    else process.env.TEST_ROUNDS = before;
  }
});

test('a failure is told with its seed and kept', () => {
  expect(() => assertKeeping(failingFrom(1_000), {}, file, PLACE)).toThrow(
    /seed: -?[0-9]+, path: "[0-9:]+"[\s\S]*Counterexample: \[1000\][\s\S]*Kept in .*seeds\.jsonl/,
  );
  expect(keptOf()).toEqual([{ ...PLACE, seed: expect.any(Number), path: expect.stringMatching(/^[0-9:]+$/) }]);
});

test('what is kept is replayed first: the smallest values that failed', () => {
  expect(() => assertKeeping(failingFrom(1_000), {}, file, PLACE)).toThrow();
  const tried: number[] = [];
  expect(() => assertKeeping(failingFrom(1_000, tried), { numRuns: 1 }, file, PLACE)).toThrow(/Counterexample/);
  expect(tried).toEqual([1_000]);
});

test('what is kept and was repaired is replayed before the others', async () => {
  expect(() => assertKeeping(failingFrom(1_000), {}, file, PLACE)).toThrow();
  const tried: number[] = [];
  const repaired = fc.asyncProperty(fc.nat(100_000), async value => void tried.push(value));
  await assertKeeping(repaired, { numRuns: 50 }, file, PLACE);
  expect(tried[0]).toBe(1_000);
  expect(tried.length).toBeGreaterThan(50);
});

test('what fails again is kept once', () => {
  for (let times = 0; times < 3; times++)
    expect(() => assertKeeping(failingFrom(1_000), { seed: 1 }, file, PLACE)).toThrow();
  expect(keptOf()).toHaveLength(1);
});

test('a seed of another property is not replayed', () => {
  writeFileSync(file, `${JSON.stringify({ ...PLACE, property: 1, seed: 1, path: '0' })}\n`);
  let tries = 0;
  const property = fc.property(fc.nat(), () => {
    tries += 1;
  });
  assertKeeping(property, { numRuns: 5 }, file, PLACE);
  expect(tries).toBe(5);
});

test('every property of the tests is tried like this', () => {
  const others = globSync('test/**/*.ts', { cwd: REPOSITORY }).filter(path => !path.endsWith('properties.test.ts'));
  const without = others.filter(path => readFileSync(join(REPOSITORY, path), 'utf8').includes('fc.assert('));
  expect(without).toEqual([]);
});

test('no property of the tests has a number of tries that a night does not raise', () => {
  const others = globSync('test/**/*.ts', { cwd: REPOSITORY }).filter(path => !path.endsWith('properties.test.ts'));
  const fixed = others.flatMap(path =>
    readFileSync(join(REPOSITORY, path), 'utf8')
      .split('\n')
      // Samples are data, and what must fail is tried until it does.
      .filter(line => /numRuns: [0-9]/.test(line) && !/\b(?:sample|check)\(/.test(line))
      .map(line => `${path}: ${line.trim()}`),
  );
  expect(fixed).toEqual([]);
});
