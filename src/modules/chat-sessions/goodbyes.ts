/** The phones that are being told that their number is unlinked, which takes seconds where its socket has to open first. */
import type { Owned } from './owned-session.ts';

/** The goodbyes of a process. */
export class Goodbyes {
  readonly #said = new Map<string, Promise<void>>();

  /** Has the phone told, and stores nothing. */
  say(connectionId: string, owned: Owned): void {
    const said = owned.lose({ unlinks: true }).finally(() => {
      if (this.#said.get(connectionId) === said) this.#said.delete(connectionId);
    });
    this.#said.set(connectionId, said);
  }

  /** Resolves when the phone of a connection was told, as far as it can be: the driver has one socket for a number. */
  async over(connectionId: string): Promise<void> {
    await this.#said.get(connectionId);
  }

  /** Resolves when all were told. */
  async allOver(): Promise<void> {
    await Promise.all(this.#said.values());
  }
}
