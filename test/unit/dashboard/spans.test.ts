import { describe, expect, test } from 'vitest';
import { spanNamed, timesOfSpan } from '../../../src/dashboard/app/features/logs/filter/spans.ts';

/** A Wednesday in Berlin, and still a Tuesday in UTC. */
const NOW = Date.parse('2026-11-24T23:30:00Z');

const dayAgo = new Date(NOW - 86_400_000);

describe('the times of the log', () => {
  test.each([
    ['today', 'Europe/Berlin', new Date('2026-11-24T23:00:00Z'), null],
    ['today', 'UTC', new Date('2026-11-24T00:00:00Z'), null],
    ['yesterday', 'Europe/Berlin', new Date('2026-11-23T23:00:00Z'), new Date('2026-11-24T23:00:00Z')],
    ['yesterday', 'UTC', new Date('2026-11-23T00:00:00Z'), new Date('2026-11-24T00:00:00Z')],
    ['week', 'Asia/Kolkata', new Date('2026-11-15T18:30:00Z'), new Date('2026-11-22T18:30:00Z')],
    ['24h', 'Asia/Kolkata', dayAgo, null],
    ['7d', 'Europe/Berlin', new Date(NOW - 7 * 86_400_000), null],
  ] as const)('%s in %s is from then to then', (span, zone, from, to) => {
    expect(timesOfSpan(span, NOW, zone)).toEqual({ from, to });
  });

  test('a week ends on Sunday', () => {
    const sunday = Date.parse('2026-11-29T23:59:00Z');
    expect(timesOfSpan('week', sunday, 'UTC')).toEqual({
      from: new Date('2026-11-16T00:00:00Z'),
      to: new Date('2026-11-23T00:00:00Z'),
    });
  });

  test('a day on which summer time begins has 23 hours', () => {
    const nextDay = Date.parse('2026-03-30T10:00:00Z');
    expect(timesOfSpan('yesterday', nextDay, 'Europe/Berlin')).toEqual({
      from: new Date('2026-03-28T23:00:00Z'),
      to: new Date('2026-03-29T22:00:00Z'),
    });
  });

  test('of a name that there is none of is a day', () => {
    expect(['week', 'toString', '', null].map(spanNamed)).toEqual(['week', '24h', '24h', '24h']);
  });
});
