/**
 * Deliveries that a dead worker may have had in hand are suspected of killing it. From then on their rows name the worker that tries them, and each
 * death counts for that worker's suspects alone. After two deaths a suspect is tried by itself; when three more workers die over it, one
 * after the other, it is quarantined.
 */

/** From so many deaths on a delivery is tried by itself: each of them may have been another's. */
export const ISOLATED_FROM = 2;

/** Lets the suspects of a process in to be tried: many side by side, or one by itself, in the order in which they came. */
export class Isolation {
  #inside = 0;
  #isAlone = false;
  readonly #waiting: { readonly alone: boolean; readonly enter: () => void }[] = [];

  /** Resolves when the try may begin; then `leave` must follow. */
  enter(alone: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ alone, enter: resolve });
    this.#letIn();
    return promise;
  }

  /** Tells that a try is over. */
  leave(): void {
    this.#inside -= 1;
    this.#isAlone = false;
    this.#letIn();
  }

  #letIn(): void {
    for (let [next] = this.#waiting; next && !this.#isAlone; [next] = this.#waiting) {
      if (next.alone && this.#inside > 0) return;
      this.#waiting.shift();
      this.#inside += 1;
      this.#isAlone = next.alone;
      next.enter();
    }
  }
}
