import { describe, expect, test } from 'vitest';
import { spanNamed, timesOfSpan } from '../../../src/dashboard/app/pages/logs/spans.ts';

/** A Wednesday, in the afternoon of whatever zone this runs in. */
const NOW = new Date(2026, 10, 25, 15, 30).getTime();

describe('the times of the log', () => {
  test.each([
    ['today', new Date(2026, 10, 25), null],
    ['yesterday', new Date(2026, 10, 24), new Date(2026, 10, 25)],
    ['week', new Date(2026, 10, 16), new Date(2026, 10, 23)],
    ['24h', new Date(NOW - 86_400_000), null],
    ['7d', new Date(NOW - 7 * 86_400_000), null],
  ] as const)('%s is from then to then', (span, from, to) => {
    expect(timesOfSpan(span, NOW)).toEqual({ from, to });
  });

  test('a week ends on Sunday', () => {
    const sunday = new Date(2026, 10, 29, 23, 59).getTime();
    expect(timesOfSpan('week', sunday)).toEqual({ from: new Date(2026, 10, 16), to: new Date(2026, 10, 23) });
  });

  test('of a name that there is none of is a day', () => {
    expect(['week', 'toString', '', null].map(spanNamed)).toEqual(['week', '24h', '24h', '24h']);
  });
});
