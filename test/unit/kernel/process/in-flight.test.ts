import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { InFlight } from '../../../../src/kernel/process/in-flight.ts';

test('has those that began and have not ended, the first at the head', () => {
  const inFlight = new InFlight<string>();
  const [endA, endB] = ['a', 'b', 'c'].map(item => inFlight.begin(item));
  expect([...inFlight]).toEqual(['a', 'b', 'c']);
  endB?.();
  endB?.();
  expect([inFlight.size, ...inFlight]).toEqual([2, 'a', 'c']);
  endA?.();
  expect([...inFlight]).toEqual(['c']);
});

test('leaves out one that ends while they are walked', () => {
  const inFlight = new InFlight<string>();
  inFlight.begin('a');
  const end = inFlight.begin('b');
  const seen: string[] = [];
  for (const item of inFlight) {
    seen.push(item);
    end();
  }
  expect(seen).toEqual(['a']);
});

test('has the same thing twice where it began twice', () => {
  const inFlight = new InFlight<string>();
  const end = inFlight.begin('a');
  inFlight.begin('a');
  end();
  expect([...inFlight]).toEqual(['a']);
});

/** A program that prints the growth of the old generation by many things of a KiB, in bytes. Four of them are under way at once. */
const growth = (begin: string): string => `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { InFlight } from ${JSON.stringify(new URL('../../../../src/kernel/process/in-flight.ts', import.meta.url))};
  const [inFlight, set, ends] = [new InFlight(), new Set(), []];
  const begin = ${begin};
  const old = () => getHeapSpaceStatistics().find(space => space.space_name === 'old_space').space_used_size;
  for (let n = 0; n < 4; n++) gc();
  const before = old();
  for (let n = 0; n < 20000; n++) {
    ends.push(begin({ bytes: new Array(128).fill(n) }));
    if (ends.length > 4) ends.shift()();
    if (n % 1000 === 0) gc({ type: 'minor' });
  }
  gc({ type: 'minor' });
  console.log(old() - before);`;

/** A process of its own: V8 goes by what it has seen survive. With so much room it collects no old garbage meanwhile. */
function grownBy(begin: string): number {
  const flags = ['--expose-gc', '--initial-old-space-size=512', '--no-allocation-site-pretenuring'];
  return Number(
    execFileSync(process.execPath, [...flags, '--input-type=module', '--eval', growth(begin)], { encoding: 'utf8' }),
  );
}

test('keeps nothing that has ended from the collection of young garbage, as a Set does', () => {
  const bySet = grownBy('item => { set.add(item); return () => set.delete(item); }');
  const byInFlight = grownBy('item => inFlight.begin(item)');
  expect(bySet).toBeGreaterThan(8 * 1024 * 1024);
  expect(byInFlight).toBeLessThan(bySet / 3);
});
