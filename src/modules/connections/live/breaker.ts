/**
 * The breaker of a connection in one process. Once half of ten or more calls within 30 s have failed, nothing is sent for 30 s; then one probe
 * decides. A standing connection (SMPP) that is not bound is open at once. Pure, but for the clock that it is given.
 */
import type { LinkState } from '../../../channels/contract.ts';
import type { SendOutcome } from '../../../channels/outcome.ts';

/** The calls that are looked at: those of the last 30 s. */
const WINDOW_MS = 30_000;

/** So many calls at least, of which so large a part has failed. */
const CALLS_MIN = 10;
const FAILED_PART = 0.5;

/** How long it stays open before the probe. */
const OPEN_MS = 30_000;

/** No more calls than these are looked at: what is older tells nothing under such a load. */
const CALLS_MAX = 1_000;

/** How a connection is: before its first use nobody knows. */
export type HealthStatus = 'unknown' | 'up' | 'down';

/** How a connection is, with why it is down. */
export interface BreakerState {
  readonly status: HealthStatus;
  /** The last failure, while it is down. */
  readonly error: string | null;
}

/** A permission of the breaker: for a usual call, or for the probe. */
type Pass = 'call' | 'probe';

/** The state of one connection. */
export class Breaker {
  readonly #nowMs: () => number;
  readonly #onChange: (state: BreakerState) => void;
  #calls: { readonly atMs: number; readonly hasFailed: boolean }[] = [];
  /** When the next probe may go; null: it is closed. */
  #probesAtMs: number | null = null;
  #isProbing = false;
  #link: LinkState | null = null;
  #error: string | null = null;
  #told: BreakerState = { status: 'unknown', error: null };
  #isUnused: boolean;

  /**
   * @param onChange told when it goes up or down, and when a standing connection is down for another reason
   * @param isUnused whether no process has used it yet
   */
  constructor(
    onChange: (state: BreakerState) => void,
    nowMs = (): number => performance.now(),
    { isUnused = false }: { readonly isUnused?: boolean } = {},
  ) {
    this.#onChange = onChange;
    this.#nowMs = nowMs;
    this.#isUnused = isUnused;
  }

  /** How it is. */
  get state(): BreakerState {
    return this.#told;
  }

  /** Whether calls are refused now. */
  get isOpen(): boolean {
    if (this.#link?.isUp === false) return true;
    return this.#probesAtMs !== null && (this.#isProbing || this.#nowMs() < this.#probesAtMs);
  }

  /** Milliseconds to the next try: a standing connection makes it by itself, another one by its next call. Null: it is not down, or is being tried. */
  get retryInMs(): number | null {
    const atMs = this.#link?.isUp === false ? (this.#link.retriesAtMs ?? null) : this.#probesAtMs;
    return atMs === null || this.#isProbing ? null : Math.max(0, atMs - this.#nowMs());
  }

  /** Lets a call through, the probe too; null: it is refused. The caller hands the permission to `note`, with the outcome. */
  enter(): Pass | null {
    if (this.isOpen) return null;
    this.#isProbing = this.#probesAtMs !== null;
    return this.#isProbing ? 'probe' : 'call';
  }

  /**
   * Takes the outcome of a call that was let through, or of a try by hand past it: one that the provider answers closes it. A call from before it opened
   * decides nothing while it is open, nor does a try that failed.
   */
  note(pass: Pass | 'try', outcome: Pick<SendOutcome, 'kind'> & { readonly message?: string }): void {
    const hasFailed = outcome.kind === 'unavailable' || outcome.kind === 'unknown';
    const isOpen = this.#probesAtMs !== null;
    const decides = pass === 'probe' || (pass === 'try' && isOpen && !hasFailed);
    if (isOpen && !decides) return;
    const nowMs = this.#nowMs();
    if (hasFailed) this.#error = outcome.message ?? null;
    if (decides) {
      this.#isProbing = false;
      this.#calls = [];
      this.#probesAtMs = hasFailed ? nowMs + OPEN_MS : null;
    } else {
      this.#calls.push({ atMs: nowMs, hasFailed });
      if (this.#calls.length > CALLS_MAX || (this.#calls[0]?.atMs ?? nowMs) < nowMs - WINDOW_MS)
        this.#calls = this.#calls.filter(call => call.atMs >= nowMs - WINDOW_MS).slice(-CALLS_MAX);
      const failed = this.#calls.filter(call => call.hasFailed).length;
      if (this.#calls.length >= CALLS_MIN && failed >= this.#calls.length * FAILED_PART) {
        this.#probesAtMs = nowMs + OPEN_MS;
      }
    }
    this.#tell(hasFailed);
  }

  /** Takes the state of the standing connection. Failures from before the bind tell nothing any more. */
  noteLink(link: LinkState): void {
    this.#link = link;
    if (link.isUp) {
      this.#probesAtMs = null;
      this.#isProbing = false;
      this.#calls = [];
    } else this.#error = link.error;
    this.#tell(!link.isUp);
  }

  #tell(hasFailed: boolean): void {
    if (!hasFailed) this.#isUnused = false;
    // One failure is no proof that it is down, nor that it is up; where nothing was ever taken, it is all that is known.
    const isDown = this.#link?.isUp === false || this.#probesAtMs !== null || this.#isUnused;
    const status = isDown ? 'down' : hasFailed ? this.#told.status : 'up';
    const reason = this.#link?.isUp === false ? this.#link.error : this.#error;
    const error = isDown ? reason : null;
    // A standing connection that is down for another reason needs another mend.
    const isSame = this.#link?.isUp !== false || error === this.#told.error;
    if (status === this.#told.status && isSame) return;
    this.#told = { status, error };
    this.#onChange(this.#told);
  }
}
