/** Looks names up. */
import { Resolver } from 'node:dns/promises';

/** Finds the addresses of a name; none where there are none. Ends early when `signal` aborts. @throws whatever hinders it. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/** How long a server of names is waited for, and how often it is asked; together they leave time for the rest of a request. */
const SERVER_TIMEOUT_MS = 1_500;
const SERVER_TRIES = 2;

/**
 * A `Resolve` by the servers of names of this machine, or by `servers` (`address:port`). It asks them itself: the system's own
 * look-up holds a thread of Node's pool, of which four names that are never answered would take all.
 */
export function createResolve(servers?: readonly string[]): Resolve {
  return async (name, signal) => {
    if (signal.aborted) return [];
    // One for each name, since it can only be cancelled whole.
    const resolver = new Resolver({ timeout: SERVER_TIMEOUT_MS, tries: SERVER_TRIES });
    if (servers) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      // Many names have addresses of one family only.
      const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      return found.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []));
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}
