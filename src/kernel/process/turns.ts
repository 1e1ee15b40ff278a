/** Turns of clients at work in small pieces. Each piece holds up the one thread of a process, so one client could take all of its time. */

/** How long work goes on without a pause, in milliseconds; the last piece may take longer. */
const SLICE_MS = 1;

/** How many pieces are done without a pause. */
const SLICE_PIECES = 16;

/** How long turns rest at most, in milliseconds: pieces do not take so long, so that something else held the process up. */
const REST_MS_MAX = 100;

/** The turns of one kind of work of a process. Clients take them one after the other, however much one has. */
export class Turns {
  /** The pieces to be done, by client. The client with the next turn is first. */
  readonly #queues = new Map<string, (() => void)[]>();
  readonly #share: number;
  readonly #now: () => number;
  #isBusy = false;
  #startedMs: number | null = null;

  /** `share` is the part of the time that the work gets while there is more, 1: all. `now` is a clock in milliseconds that never goes back. */
  constructor(share: number, now: () => number = () => performance.now()) {
    this.#share = share;
    this.#now = now;
  }

  /** Calls `work` when it is the turn of the client; never at once. */
  enter(client: string, work: () => void): void {
    const queue = this.#queues.get(client);
    if (queue) queue.push(work);
    else this.#queues.set(client, [work]);
    if (!this.#isBusy) this.#begin();
  }

  #begin(): void {
    this.#isBusy = true;
    this.#startedMs = null;
    // The work that a piece sets off is done when the next one is called, so that its time is counted.
    for (let piece = 0; piece < SLICE_PIECES; piece++) setImmediate(this.#doOne);
    setImmediate(this.#rest);
  }

  readonly #doOne = (): void => {
    this.#startedMs ??= this.#now();
    const [first] = this.#queues;
    if (!first || this.#now() - this.#startedMs >= SLICE_MS) return;
    const [client, queue] = first;
    const work = queue.shift();
    // A client that is alone stays where it is: each move costs the map a part of a new table.
    if (this.#queues.size > 1 || queue.length === 0) this.#queues.delete(client);
    if (queue.length > 0) this.#queues.set(client, queue);
    work?.();
  };

  readonly #rest = (): void => {
    const nowMs = this.#now();
    const spentMs = nowMs - (this.#startedMs ?? nowMs);
    const restMs = Math.min(REST_MS_MAX, spentMs / this.#share - spentMs);
    const goOn = (): void => {
      if (this.#queues.size > 0) this.#begin();
      else this.#isBusy = false;
    };
    if (restMs > 0) setTimeout(goOn, restMs);
    else goOn();
  };
}
