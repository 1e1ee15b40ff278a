/** Looks names up. */
import { lookup, Resolver } from 'node:dns/promises';

/** Finds the addresses of a name; none where there are none. Ends early when `signal` aborts. @throws whatever hinders it. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/** How long a server of names is waited for, and how often it is asked; together they leave time for the rest of a request. */
const SERVER_TIMEOUT_MS = 1_500;
const SERVER_TRIES = 2;

/**
 * A `Resolve` that asks this machine's name servers, or `servers`: the system's look-up holds one of Node's four threads.
 * The system is asked only if a server knows no such name, which may stand in the hosts file.
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
      const addresses = found.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []));
      return addresses.length > 0 || !found.some(isUnknownName) ? addresses : await lookUpHere(name);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

function isUnknownName(answer: PromiseSettledResult<unknown>): boolean {
  if (answer.status === 'fulfilled') return false;
  const { code } = Object(answer.reason);
  return code === 'ENOTFOUND' || code === 'ENODATA';
}

async function lookUpHere(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}
