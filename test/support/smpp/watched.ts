/** Something whose changes can be waited for. */
export class Watched {
  readonly #waiting = new Set<() => void>();

  /** Says that it has changed. */
  touch(): void {
    for (const look of [...this.#waiting]) look();
  }

  /** Waits until `read` answers something else than null. The test's own time is the bound. */
  async until<Value>(read: () => Value | null): Promise<Value> {
    const now = read();
    if (now !== null) return now;
    const { promise, resolve } = Promise.withResolvers<Value>();
    const look = (): void => {
      const value = read();
      if (value !== null) resolve(value);
    };
    this.#waiting.add(look);
    return promise.finally(() => this.#waiting.delete(look));
  }
}
