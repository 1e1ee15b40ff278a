import { beforeEach, expect, test } from 'vitest';
import { Patience } from '../../../src/rest/overload/patience.ts';

const AGAIN = { least: 2_000, spread: 1_000, apart: 0, most: 3_000 };
let nowMs: number;
let patience: Patience;

beforeEach(() => {
  nowMs = 0;
  patience = new Patience(() => nowMs);
});

test('a first refusal is held back for a moment, and the next ones for as long as is said', () => {
  expect(patience.holdMs('a', AGAIN)).toBe(50);
  for (let refusal = 0; refusal < 50; refusal++) {
    const holdMs = patience.holdMs('a', AGAIN);
    expect(holdMs).toBeGreaterThanOrEqual(2_000);
    expect(holdMs).toBeLessThan(3_000);
  }
});

test('refusals that are told apart wait the longer the more of them there are, the last ones in the time that is said', () => {
  const apart = { least: 2_000, spread: 100, apart: 50, most: 4_000 };
  patience.holdMs('a', apart);
  const holds = Array.from({ length: 60 }, () => patience.holdMs('a', apart));
  for (const [index, holdMs] of holds.entries()) {
    const earliestMs = Math.min(2_000 + index * 50, 3_900);
    expect(holdMs).toBeGreaterThanOrEqual(earliestMs);
    expect(holdMs).toBeLessThan(earliestMs + 100);
  }
  // Those that were told make no one wait.
  nowMs = 5_000;
  expect(patience.holdMs('a', apart)).toBeLessThan(2_100);
});

test('a refusal is forgotten after ten seconds, and is nothing to others', () => {
  patience.holdMs('a', AGAIN);
  expect(patience.holdMs('b', AGAIN)).toBe(50);
  nowMs = 10_000;
  expect(patience.holdMs('a', AGAIN)).toBe(50);
});

test('ten thousand clients are remembered, those refused last', () => {
  for (let client = 0; client <= 10_000; client++) patience.holdMs(`client ${client}`, AGAIN);
  expect(patience.holdMs('client 10000', AGAIN)).toBeGreaterThan(50);
  expect(patience.holdMs('client 0', AGAIN)).toBe(50);
});
