/** Whose a request is, before anybody has looked at its token: enough to share a process fairly, and no proof of anything. */
import { hash } from 'node:crypto';

/** How many credentials a process remembers; beyond, it forgets the oldest. */
const SIZE_MAX = 10_000;

/** What credentials turned out to be. A token that was not seen yet, or is none, counts for the address that it came from. */
export class Callers {
  readonly #accounts = new Map<string, string>();

  /** The name by which a request shares: its account where the credentials are known, else the address that it came from. */
  nameOf(authorization: string | undefined, addressOf: () => string): string {
    return this.#accountOf(authorization) ?? `address ${addressOf()}`;
  }

  /** Whether these credentials were an account's when they were last looked at. Who shows none is a stranger. */
  knows(authorization: string | undefined): boolean {
    return this.#accountOf(authorization) !== undefined;
  }

  #accountOf(authorization: string | undefined): string | undefined {
    return authorization === undefined ? undefined : this.#accounts.get(keyOf(authorization));
  }

  /** These credentials are an account's: from the next request on they count for it. */
  learn(authorization: string, accountId: string): void {
    const key = keyOf(authorization);
    if (this.#accounts.has(key)) return;
    const [oldest] = this.#accounts.size >= SIZE_MAX ? this.#accounts.keys() : [];
    if (oldest !== undefined) this.#accounts.delete(oldest);
    this.#accounts.set(key, accountId);
  }
}

/** A token is kept nowhere as it is; and however often it is written in another way, it is remembered once. */
function keyOf(authorization: string): string {
  const text = authorization.trim();
  return hash('sha256', text.slice(text.lastIndexOf(' ') + 1), 'base64');
}
