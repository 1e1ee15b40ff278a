/** The news of a number that are handed over one after the other: a person's STOP and START must not change places. */

/** The news of one number, over its sockets. */
export class NewsQueue {
  #last: Promise<void> = Promise.resolve();

  /** Has something told once all before it was. */
  add(tell: () => Promise<void>): void {
    this.#last = this.#last.then(tell).catch(() => undefined);
  }

  /** Resolves when all that was added until now is told. */
  isEmpty(): Promise<void> {
    return this.#last;
  }
}
