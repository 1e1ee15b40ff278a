/** Figures of the bench, each with the goal of the project. */
import { table } from './figures.ts';

/** A figure with its goal. */
export interface Goal {
  readonly what: string;
  readonly now: number;
  readonly goal: number;
  /** Whether more is better. */
  readonly atLeast: boolean;
  readonly unit: '×' | 'µs' | 'ms' | 's' | 'MB' | 'bytes' | 'a second';
}

/** A figure that must be as much or more. */
export function atLeast(what: string, now: number, goal: number, unit: Goal['unit'] = '×'): Goal {
  return { what, now, goal, atLeast: true, unit };
}

/** A figure that must be as much or less. */
export function atMost(what: string, now: number, goal: number, unit: Goal['unit'] = '×'): Goal {
  return { what, now, goal, atLeast: false, unit };
}

/** A ratio as people read it. */
export function ratio(share: number): string {
  return `${share.toFixed(2)} ×`;
}

function shown(value: number, unit: Goal['unit']): string {
  const digits = { '×': 2, µs: 0, ms: 1, s: 2, MB: 0, bytes: 0, 'a second': 0 }[unit];
  return `${value.toFixed(digits)} ${unit}`;
}

/** Lines of a table: what is now, and what must be. */
export function goalTable(goals: readonly Goal[]): string {
  return table([
    ['', 'now', 'goal', ''],
    ...goals.map(({ what, now, goal, atLeast, unit }) => [
      what,
      shown(now, unit),
      `${atLeast ? '≥' : '≤'} ${shown(goal, unit)}`,
      (atLeast ? now >= goal : now <= goal) ? 'yes' : 'no',
    ]),
  ]);
}
