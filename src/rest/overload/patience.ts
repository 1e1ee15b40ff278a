/** Holds refusals back: were they sent at once, clients that ask again at once would make refusing the work. */

/** How long the first refusal of a client is held back, in milliseconds. */
export const REFUSED_AFTER_MS = 50;

/** How long a refusal is remembered, in milliseconds, and of how many clients. */
const REMEMBERED_MS = 10_000;
const REMEMBERED_MAX = 10_000;

/** How long a client waits that asks again after a refusal, in milliseconds. */
export interface Again {
  readonly least: number;
  /** Up to so much longer, by chance: those who came at once would come again at once. */
  readonly spread: number;
  /** The refusals of a client are so far apart, so that many of them wait longer. */
  readonly apart: number;
  readonly most: number;
}

/** The refusals of a process, by client. */
export class Patience {
  /** When the last refusal of each client is told at the earliest. */
  readonly #toldAtMs = new Map<string, number>();
  readonly #now: () => number;

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** For one more refusal of this client; `again`: how long where the last one was a short time ago. */
  holdMs(client: string, { least, spread, apart, most }: Again): number {
    const nowMs = this.#now();
    const lastMs = this.#toldAtMs.get(client) ?? Number.NEGATIVE_INFINITY;
    const isAgain = nowMs - lastMs < REMEMBERED_MS;
    const turnMs = Math.min(most - spread, Math.max(least, lastMs + apart - nowMs));
    this.#toldAtMs.delete(client);
    const [oldest] = this.#toldAtMs.keys();
    if (this.#toldAtMs.size >= REMEMBERED_MAX && oldest !== undefined) this.#toldAtMs.delete(oldest);
    this.#toldAtMs.set(client, nowMs + (isAgain ? turnMs : 0));
    return isAgain ? turnMs + Math.random() * spread : REFUSED_AFTER_MS;
  }
}
