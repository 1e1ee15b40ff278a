/** Whose row is handed over next: each one costs a run of GraphQL, so that followers could take all of the time of a process. */

/** How long rows are handed over without a pause, in milliseconds; the last of them may take longer. */
const SLICE_MS = 1;

/** How many rows are handed over without a pause. */
const SLICE_ROWS = 16;

/** The part of the time of a process that followers get while they ask for more. */
const SHARE = 1 / 5;

/** How long they rest at most, in milliseconds: rows do not take so long, so that something else held the process up. */
const REST_MS_MAX = 100;

/** The turns of the followers of a process. Accounts take them one after the other, however many followers one has. */
export class Turns {
  /** The rows to be handed over, by account. The account with the next turn is first. */
  readonly #queues = new Map<string, (() => void)[]>();
  readonly #now: () => number;
  #isBusy = false;
  #startedMs: number | null = null;

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Calls `hand` when it is the turn of the account; never at once. */
  enter(accountId: string, hand: () => void): void {
    const queue = this.#queues.get(accountId);
    if (queue) queue.push(hand);
    else this.#queues.set(accountId, [hand]);
    if (!this.#isBusy) this.#begin();
  }

  #begin(): void {
    this.#isBusy = true;
    this.#startedMs = null;
    // The work that a row sets off is done when the next one is called, so that its time is counted.
    for (let row = 0; row < SLICE_ROWS; row++) setImmediate(this.#handOne);
    setImmediate(this.#rest);
  }

  readonly #handOne = (): void => {
    this.#startedMs ??= this.#now();
    const [first] = this.#queues;
    if (!first || this.#now() - this.#startedMs >= SLICE_MS) return;
    const [accountId, queue] = first;
    const hand = queue.shift();
    this.#queues.delete(accountId);
    if (queue.length > 0) this.#queues.set(accountId, queue);
    hand?.();
  };

  readonly #rest = (): void => {
    const nowMs = this.#now();
    const spentMs = nowMs - (this.#startedMs ?? nowMs);
    const restMs = Math.min(REST_MS_MAX, spentMs / SHARE - spentMs);
    setTimeout(() => {
      if (this.#queues.size > 0) this.#begin();
      else this.#isBusy = false;
    }, restMs);
  };
}
