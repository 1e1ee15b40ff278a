/** When the next submit may go: so many a second, and none for a while after the SMSC said that it was too much. */

/** How much of a second may go at once: little, since some SMSCs count in windows that are shorter than a second. */
const BURST_SECONDS = 0.02;

/** A token bucket that can be held shut. */
export class Pace {
  readonly #perMs: number;
  readonly #burst: number;
  #tokens: number;
  #filledAtMs = performance.now();
  #heldUntilMs = 0;

  /** `perSecond` null: no limit. */
  constructor(perSecond: number | null) {
    this.#perMs = perSecond === null ? Infinity : perSecond / 1_000;
    this.#burst = Math.max(1, (perSecond ?? 0) * BURST_SECONDS);
    this.#tokens = this.#burst;
  }

  /** Takes a token; false: there is none yet. */
  take(): boolean {
    if (this.#perMs === Infinity && this.#heldUntilMs === 0) return true;
    if (this.waitMs() > 0) return false;
    this.#heldUntilMs = 0;
    if (this.#perMs < Infinity) this.#tokens -= 1;
    return true;
  }

  /** Milliseconds to the next token. */
  waitMs(): number {
    const nowMs = performance.now();
    const heldMs = Math.max(0, this.#heldUntilMs - nowMs);
    if (this.#perMs === Infinity) return heldMs;
    this.#tokens = Math.min(this.#burst, this.#tokens + (nowMs - this.#filledAtMs) * this.#perMs);
    this.#filledAtMs = nowMs;
    return Math.max(heldMs, (1 - this.#tokens) / this.#perMs);
  }

  /** Gives none for so long. */
  hold(ms: number): void {
    this.#heldUntilMs = Math.max(this.#heldUntilMs, performance.now() + ms);
  }
}
