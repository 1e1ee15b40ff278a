import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { timeOfTyped, typedTime } from '../../../src/dashboard/app/ui/region/zone-clock.ts';
import { assertProperty } from '../../support/runner/properties.ts';

const MINUTE_MS = 60_000;

describe('a time that is typed', () => {
  test('is read by the clock of its zone', () => {
    expect(timeOfTyped('2026-07-01T08:12', 'Europe/Berlin')).toEqual(new Date('2026-07-01T06:12:00Z'));
    expect(timeOfTyped('2026-12-01T08:12', 'Europe/Berlin')).toEqual(new Date('2026-12-01T07:12:00Z'));
    expect(timeOfTyped('2026-12-01T08:12', 'Asia/Kolkata')).toEqual(new Date('2026-12-01T02:42:00Z'));
  });

  test.each(['', 'now', '2026-12-01'])('is none where it is %j', text => {
    expect(timeOfTyped(text, 'UTC')).toBeNull();
  });

  test('is the one that the input was filled with', () => {
    // Two times of the hour that a clock repeats look alike: of those zones the property would not hold.
    const zones = fc.constantFrom('UTC', 'Asia/Kolkata', 'America/Phoenix', 'Pacific/Honolulu');
    const minutes = fc.integer({ min: Date.UTC(2020) / MINUTE_MS, max: Date.UTC(2040) / MINUTE_MS });
    assertProperty(
      fc.property(zones, minutes, (zone, minute) => {
        const at = minute * MINUTE_MS;
        expect(timeOfTyped(typedTime(at, zone), zone)).toEqual(new Date(at));
      }),
    );
  });

  test('stands empty in the input where there is none', () => {
    expect(typedTime('', 'UTC')).toBe('');
  });
});
