/** Whose a request is, before its token is checked: enough to share a process fairly, and no proof of anything. */
import { hash } from 'node:crypto';

/** How many tokens a process remembers; beyond, it forgets the oldest. */
const TOKENS_MAX = 10_000;

/** The names by which callers share: the account of a token that was accepted before, else the address that a request came from. */
export class CallerNames {
  /** Accounts by the hashes of their tokens. */
  readonly #accounts = new Map<string, string>();

  /** The account whose token this header showed before; undefined for a stranger. */
  accountOf(authorization: string | undefined): string | undefined {
    return authorization === undefined ? undefined : this.#accounts.get(keyOf(authorization));
  }

  /** The token of this header was accepted for an account: from the next request on it counts for that. */
  learn(authorization: string | undefined, accountId: string): void {
    if (authorization === undefined) return;
    const key = keyOf(authorization);
    if (this.#accounts.has(key)) return;
    const [oldest] = this.#accounts.size >= TOKENS_MAX ? this.#accounts.keys() : [];
    if (oldest !== undefined) this.#accounts.delete(oldest);
    this.#accounts.set(key, accountId);
  }
}

/** The same for every way to write a header with one token. */
function keyOf(authorization: string): string {
  const text = authorization.trim();
  return hash('sha256', text.slice(text.lastIndexOf(' ') + 1), 'base64');
}
