import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tellLimit } from '../../../src/kernel/rate-limit.ts';
import { assertProperty } from '../../support/runner/properties.ts';

const POLICY = { name: 'requests', quota: 200, windowSeconds: 2 };

function fieldsFor(remaining: number, seconds: number): Map<string, string> {
  const fields = new Map<string, string>();
  tellLimit(fields, POLICY, remaining, seconds);
  return fields;
}

test('the fields name the policy as a string, and hold its figures as parameters', () => {
  expect([...fieldsFor(50, 1)]).toEqual([
    ['RateLimit-Policy', '"requests";q=200;w=2'],
    ['RateLimit', '"requests";r=50;t=1'],
  ]);
});

test.each([
  [1.9, 0.1, '"requests";r=1;t=1'],
  [0.9, 1.000001, '"requests";r=0;t=2'],
  [0, 0, '"requests";r=0;t=0'],
  [-1, -0.5, '"requests";r=0;t=0'],
])('%d requests and %d seconds are written as %s', (remaining, seconds, value) => {
  expect(fieldsFor(remaining, seconds).get('RateLimit')).toBe(value);
});

test('every figure is a whole number that is not negative, as the draft wants it', () => {
  const figure = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  assertProperty(
    fc.property(figure, figure, (remaining, seconds) => {
      expect(fieldsFor(remaining, seconds).get('RateLimit')).toMatch(/^"requests";r=[0-9]{1,15};t=[0-9]{1,15}$/);
    }),
  );
});
