/** Times of the figures: whole hours, which are counted already or not, and what is left of hours at both ends. Pure. */
import { uuidFloor } from '../../kernel/ids.ts';

/** Milliseconds of an hour. */
export const HOUR_MS = 3_600_000;

/** Milliseconds of a day. */
export const DAY_MS = 24 * HOUR_MS;

/** An OTP is tried and verified within an hour; the rest is for clocks that differ. */
const AROUND_HOURS = 2;

/** A range of ids that is counted as one: `lo` to before `hi`. */
export interface Span {
  /** The bucket that its entries are counted in. */
  readonly bucket: number;
  readonly lo: string;
  readonly hi: string;
  /** From here to before `post` are the entries of the OTPs that were first tried within. */
  readonly pre: string;
  readonly post: string;
  /** Whether it is one whole hour, or what there is of the present one. */
  readonly is_hour: boolean;
}

function spanOf(bucket: number, fromMs: number, toMs: number, nowMs: number): Span {
  const floor = (ms: number): string => uuidFloor(new Date(ms));
  return {
    bucket,
    lo: floor(fromMs),
    hi: floor(toMs),
    pre: floor(fromMs - AROUND_HOURS * HOUR_MS),
    post: floor(toMs + (AROUND_HOURS + 1) * HOUR_MS),
    is_hour: fromMs % HOUR_MS === 0 && (toMs - fromMs === HOUR_MS || toMs >= nowMs),
  };
}

/** The spans of a time, each within one bucket. @param bucketOf the bucket of a moment, and where it ends, which no span passes */
export function spansOf(
  fromMs: number,
  toMs: number,
  nowMs: number,
  bucketOf: (ms: number) => { readonly bucket: number; readonly endMs: number },
): Span[] {
  const spans: Span[] = [];
  for (let ms = fromMs; ms < toMs; ) {
    const { bucket, endMs } = bucketOf(ms);
    const hourEndMs = Math.floor(ms / HOUR_MS + 1) * HOUR_MS;
    const end = Math.min(hourEndMs, endMs, toMs);
    spans.push(spanOf(bucket, ms, end, nowMs));
    ms = end;
  }
  return spans;
}
