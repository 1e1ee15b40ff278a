/** Which accounts tokens and sessions belong to, as far as this process has let them in. */
import type { KnownCaller } from '../server/listen.ts';

/** How many tokens a process knows the accounts of: enough to share it fairly, and no proof of anything. */
const TOKENS_MAX = 10_000;

/** Callers by the key of their token (`tokenKeyOf`), those that were let in last at the end. */
export class KnownCallers {
  readonly #callers = new Map<string, KnownCaller>();

  /** Who had this token; undefined: nobody who is known. */
  of(tokenKey: string): KnownCaller | undefined {
    return this.#callers.get(tokenKey);
  }

  /** Learns whose a token is that was let in; an empty key is of nobody. Who comes with many keys pushes out nobody who comes often. */
  learn(tokenKey: string, accountId: string, tokenId: string | null = null): void {
    if (tokenKey === '') return;
    const caller = this.#callers.get(tokenKey) ?? { accountId, tokenId };
    this.#callers.delete(tokenKey);
    const [oldest] = this.#callers.keys();
    if (this.#callers.size >= TOKENS_MAX && oldest !== undefined) this.#callers.delete(oldest);
    this.#callers.set(tokenKey, caller);
  }
}
