import { describe, expect, test } from 'vitest';
import {
  changeTold,
  fullnessOf,
  mergeRows,
  NOTHING_TOLD,
  type Told,
  type ToldChange,
} from '../../../src/dashboard/app/features/logs/told.ts';

interface Row {
  readonly id: string;
  readonly createdAt: string;
  readonly status: string;
}

const row = (id: string, second = 0, status = 'SENT'): Row => ({
  id,
  createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  status,
});

const rows = (count: number): Row[] => Array.from({ length: count }, (_, index) => row(String(index)));

/** The list after these changes, in order. */
function listAfter(...changes: readonly ToldChange<Row>[]): Told<Row> {
  return changes.reduce<Told<Row>>(changeTold, NOTHING_TOLD);
}

const told = (...given: readonly Row[]) => ({ kind: 'told', rows: given, isHeld: false }) as const;
const toldWhileHeld = (...given: readonly Row[]) => ({ kind: 'told', rows: given, isHeld: true }) as const;

const ids = (entries: ReadonlyMap<string, Row>): string[] => [...entries.keys()];

describe('entries that are told', () => {
  test('are shown', () => {
    expect(ids(listAfter(told(row('a')), told(row('b'))).shown)).toEqual(['a', 'b']);
  });

  test('take the place of what was told of them before', () => {
    const { shown } = listAfter(told(row('a'), row('b')), told(row('a', 0, 'DELIVERED')));
    expect([ids(shown), shown.get('a')?.status]).toEqual([['a', 'b'], 'DELIVERED']);
  });

  test('wait while the list is held, and are shown when it is released', () => {
    const held = listAfter(told(row('a')), toldWhileHeld(row('b')));
    expect([ids(held.shown), ids(held.held)]).toEqual([['a'], ['b']]);
    const released = changeTold(held, { kind: 'released' });
    expect([ids(released.shown), ids(released.held)]).toEqual([['a', 'b'], []]);
  });

  test('wait up to 2,000, of which the oldest go', () => {
    const { held } = listAfter(toldWhileHeld(...rows(2_001)));
    expect([held.size, held.has('0'), held.has('2000')]).toEqual([2_000, false, true]);
  });

  test('are forgotten with their filter, and a page that is due stays due', () => {
    const { shown, held, leftOut, isStale } = listAfter(
      told(row('a')),
      toldWhileHeld(row('b')),
      { kind: 'leftOut', count: 3 },
      { kind: 'missed', isAsked: false },
      { kind: 'begun' },
    );
    expect([shown.size, held.size, leftOut, isStale]).toEqual([0, 0, 0, true]);
  });
});

describe('the newest page', () => {
  test('is due when the line broke, until it is asked for', () => {
    const missed = listAfter({ kind: 'missed', isAsked: false });
    expect([missed.isStale, changeTold(missed, { kind: 'asked' }).isStale]).toEqual([true, false]);
  });

  test('stands for what was shown when it was asked for, and not for what was told since', () => {
    const first = listAfter(told(row('a'), row('b')));
    const since = changeTold(first, told(row('c'), row('b', 0, 'DELIVERED')));
    expect(ids(changeTold(since, { kind: 'renewed', before: first.shown }).shown)).toEqual(['b', 'c']);
  });

  test.each([
    [0, 0],
    [999, 0],
    [1_000, 1],
    [2_500, 2],
  ])('of %i told entries was to be asked for %i times', (count, steps) => {
    expect(fullnessOf(listAfter(told(...rows(count))))).toBe(steps);
  });
});

describe('entries that were left out', () => {
  test('are counted until somebody asks for the newest page', () => {
    const counted = listAfter({ kind: 'leftOut', count: 2 }, { kind: 'leftOut', count: 3 });
    expect(counted.leftOut).toBe(5);
    expect(changeTold(counted, { kind: 'missed', isAsked: false }).leftOut).toBe(5);
    expect(changeTold(counted, { kind: 'missed', isAsked: true }).leftOut).toBe(0);
  });

  test.each([{ kind: 'leftOut', count: 0 }, { kind: 'released' }] as const)('change nothing by %j', change => {
    const list = listAfter(told(row('a')));
    expect(changeTold(list, change)).toBe(list);
  });
});

describe('the rows of a list', () => {
  const shown = (...given: readonly Row[]) => listAfter(told(...given)).shown;

  test('are those of its pages where nothing is told', () => {
    expect(mergeRows([[row('b', 2)], [row('a', 1)]], shown()).map(({ id }) => id)).toEqual(['b', 'a']);
  });

  test('have told entries at their time, once each', () => {
    const merged = mergeRows([[row('c', 3), row('a', 1)]], shown(row('d', 4), row('b', 2), row('a', 1)));
    expect(merged.map(({ id }) => id)).toEqual(['d', 'c', 'b', 'a']);
  });

  test('are as they were told last', () => {
    expect(mergeRows([[row('a', 1)]], shown(row('a', 1, 'READ')))).toEqual([row('a', 1, 'READ')]);
  });
});
