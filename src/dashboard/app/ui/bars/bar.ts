/** The data of a bar chart. */

/** One bar: a part of the time with the counts in it. */
export interface Bar {
  readonly from: string;
  readonly to: string;
  /** By the name of what is counted; absent: none. */
  readonly counts: Readonly<Record<string, number>>;
}

/** One kind of what is counted, from the lowest of the stack. */
export interface Layer {
  readonly name: string;
  readonly label: string;
  /** A colour of `theme.css`. */
  readonly colour: string;
}

/** All that was counted in a bar. */
export function totalOf({ counts }: Bar): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
