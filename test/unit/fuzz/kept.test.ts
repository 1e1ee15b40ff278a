import { describe, expect, test } from 'vitest';
import { faultOf } from '../../support/fuzz/search.ts';
import { keptOf, TARGETS } from '../../support/fuzz/targets.ts';

describe.each(TARGETS)('$name', target => {
  test.each([...keptOf(target)])('stands the kept input %s', async (_name, input) => {
    expect(await faultOf(target, input)).toBe(null);
  });
});
