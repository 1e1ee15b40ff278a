/** Holds refusals back: were they sent at once, clients that ask again at once would make refusing the work. */

/** How long the first refusal of a client is held back, in milliseconds. */
export const REFUSED_AFTER_MS = 50;

/** How long a refusal is remembered, in milliseconds, and of how many clients. */
const REMEMBERED_MS = 10_000;
const REMEMBERED_MAX = 10_000;

/** How long a client waits that asks again after a refusal, in milliseconds. */
export interface Again {
  readonly least: number;
  readonly most: number;
}

/** The refusals of a process, by client. */
export class Patience {
  readonly #refusedAtMs = new Map<string, number>();
  readonly #now: () => number;

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** For one more refusal of this client; `again`: how long where the last one was a short time ago. */
  holdMs(client: string, again: Again): number {
    const nowMs = this.#now();
    const isAgain = nowMs - (this.#refusedAtMs.get(client) ?? Number.NEGATIVE_INFINITY) < REMEMBERED_MS;
    this.#refusedAtMs.delete(client);
    const [oldest] = this.#refusedAtMs.keys();
    if (this.#refusedAtMs.size >= REMEMBERED_MAX && oldest !== undefined) this.#refusedAtMs.delete(oldest);
    this.#refusedAtMs.set(client, nowMs);
    // Not the same for all: those who came at once would come again at once.
    return isAgain ? again.least + Math.random() * (again.most - again.least) : REFUSED_AFTER_MS;
  }
}
