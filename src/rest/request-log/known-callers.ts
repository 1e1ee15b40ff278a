/** The accounts of tokens and sessions that this process has let in. */
import type { KnownCaller } from '../server/listen.ts';

/** How many tokens a process knows the accounts of: enough to share it fairly, and no proof of anything. */
const TOKENS_MAX = 10_000;

/** Callers by the key of their token (`tokenKeyOf`), those that were let in last at the end. */
export class KnownCallers {
  readonly #callers = new Map<string, KnownCaller>();

  /** The last known caller with this token; undefined: none. */
  of(tokenKey: string): KnownCaller | undefined {
    return this.#callers.get(tokenKey);
  }

  /** Learns the account of a token that was let in; an empty key is of nobody. Many new keys push out no caller that comes often. */
  learn(tokenKey: string, accountId: string, tokenId: string | null = null): void {
    if (tokenKey === '') return;
    const caller = this.#callers.get(tokenKey) ?? { accountId, tokenId };
    this.#callers.delete(tokenKey);
    const [oldest] = this.#callers.keys();
    if (this.#callers.size >= TOKENS_MAX && oldest !== undefined) this.#callers.delete(oldest);
    this.#callers.set(tokenKey, caller);
  }
}
