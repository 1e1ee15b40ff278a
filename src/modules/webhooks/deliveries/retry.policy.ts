/** When a delivery is tried again, and when an endpoint is spared. Pure. */

/** How long after each try the next one follows, in seconds (contract §7): ten tries over 75 h 35 m. */
export const RETRY_DELAYS_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

/** How much of a delay is added at most, so that what failed together does not come again together. Never less: the promise is a span. */
const JITTER = 0.2;

/** The longest wait that an endpoint may ask for. */
const RETRY_AFTER_MAX_SECONDS = 86_400;

/** The seconds until the next try after `step` tries, or null where there is none. `Retry-After` lengthens a wait, never shortens it; `random`: 0 to 1. */
export function secondsToNextTry(step: number, retryAfter: string | null, now: Date, random: number): number | null {
  const delay = RETRY_DELAYS_SECONDS[step - 1];
  if (delay === undefined) return null;
  const jittered = delay * (1 + JITTER * random);
  const asked = retryAfter === null ? null : readRetryAfter(retryAfter, now);
  return asked === null ? jittered : Math.max(jittered, Math.min(asked, RETRY_AFTER_MAX_SECONDS));
}

/** Seconds from now that a `Retry-After` names, as a number or as an HTTP date (RFC 9110 §10.2.3); null where it names neither. */
function readRetryAfter(text: string, now: Date): number | null {
  const value = text.trim();
  if (/^[0-9]+$/.test(value)) return Number(value);
  // Date.parse alone takes `1` for a year.
  const at = /^[A-Z][a-z]{2,8}, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : (at - now.getTime()) / 1_000;
}

/** For how long a breaker that opened spares the endpoint; then one probe decides. */
export const CIRCUIT_OPEN_SECONDS = 30;

const WINDOW_MS = 300_000;
const SLICE_MS = 10_000;
const TRIES_MIN = 10;
const FAILURE_RATE = 0.7;

/** The breaker of an endpoint: the tries of the last five minutes, in slices of ten seconds. */
export class Breaker {
  #slices: { atMs: number; tries: number; failures: number }[] = [];

  /** Counts a try, and answers whether the breaker opens: of at least ten tries in five minutes, 70 % failed. @param nowMs by `performance.now()` */
  count(failed: boolean, nowMs: number): boolean {
    const slice = this.#slices.at(-1);
    if (slice && nowMs - slice.atMs < SLICE_MS) {
      slice.tries += 1;
      slice.failures += failed ? 1 : 0;
    } else this.#slices.push({ atMs: nowMs, tries: 1, failures: failed ? 1 : 0 });
    this.#slices = this.#slices.filter(({ atMs }) => nowMs - atMs < WINDOW_MS);
    const tries = this.#slices.reduce((sum, each) => sum + each.tries, 0);
    const failures = this.#slices.reduce((sum, each) => sum + each.failures, 0);
    return failed && tries >= TRIES_MIN && failures / tries >= FAILURE_RATE;
  }

  /** Forgets what was, after a probe that succeeded. */
  reset(): void {
    this.#slices = [];
  }
}
