/** The buckets of a histogram: round lengths that begin at round times of UTC. Pure. */
import { uuidFloor } from '../../kernel/ids.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Each divides the day, or is days. */
const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map(count => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map(count => count * MINUTE),
  ...[1, 2, 3, 6, 12, 24, 48, 96, 192, 384, 768, 1_536, 3_072].map(count => count * HOUR),
];

/** The buckets of a time. */
export interface Grid {
  /** When the first one begins, which may be before the time does. */
  readonly firstMs: number;
  readonly stepMs: number;
  /** The lowest uuid of each. */
  readonly bounds: readonly string[];
  /** The bucket of a moment, and where it ends. */
  readonly bucketOf: (ms: number) => { readonly bucket: number; readonly endMs: number };
}

/** The shortest buckets of which no more are needed for a time. */
export function gridOf(fromMs: number, toMs: number, bucketsMax: number): Grid {
  const firstOf = (stepMs: number): number => Math.floor(fromMs / stepMs) * stepMs;
  const countOf = (stepMs: number): number => Math.ceil((toMs - firstOf(stepMs)) / stepMs);
  const stepMs = STEPS_MS.find(step => countOf(step) <= bucketsMax);
  // A time that lies across the bound of the longest step has no fitting one: then one bucket begins where the time does.
  const [firstMs, lengthMs] = stepMs ? [firstOf(stepMs), stepMs] : [Math.floor(fromMs / HOUR) * HOUR, 3_072 * HOUR];
  return {
    firstMs,
    stepMs: lengthMs,
    bounds: Array.from({ length: Math.ceil((toMs - firstMs) / lengthMs) }, (_, index) =>
      uuidFloor(new Date(firstMs + index * lengthMs)),
    ),
    bucketOf: ms => {
      const bucket = Math.floor((ms - firstMs) / lengthMs);
      return { bucket, endMs: firstMs + (bucket + 1) * lengthMs };
    },
  };
}
