/** A signal that is made when somebody asks for it, which most requests never do. */
export class LazySignal {
  #controller: AbortController | null = null;
  #reason: unknown;

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Aborts it for a reason, which is not undefined. Only the first call counts. */
  abort(reason: unknown): void {
    this.#reason ??= reason;
    this.#controller?.abort(reason);
  }
}
