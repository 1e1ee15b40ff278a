/** Which accounts tokens and sessions belong to, as far as this process has let them in. */
import type { KnownCaller } from '../server/listen.ts';

/** How many tokens a process knows the accounts of: enough to share it fairly, and no proof of anything. */
const TOKENS_MAX = 10_000;

/** Callers by the key of their token (`tokenKeyOf`). */
export class KnownCallers {
  readonly #callers = new Map<string, KnownCaller>();

  /** Who had this token; undefined: nobody who is known. */
  of(tokenKey: string): KnownCaller | undefined {
    return this.#callers.get(tokenKey);
  }

  /** Learns whose a token is that was let in; an empty key is of nobody. */
  learn(tokenKey: string, accountId: string, tokenId: string | null = null): void {
    if (tokenKey === '' || this.#callers.has(tokenKey)) return;
    const [oldest] = this.#callers.keys();
    if (this.#callers.size >= TOKENS_MAX && oldest !== undefined) this.#callers.delete(oldest);
    this.#callers.set(tokenKey, { accountId, tokenId });
  }
}
