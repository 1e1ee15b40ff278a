/** How many connections an address may have at once: each costs memory, whatever it does, and all of them are bounded together. */
import { isInNetworks, limitKey, type TrustedProxies } from '../../kernel/network/address.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Metrics } from '../../observability/metrics.ts';

/** Counts the connections of addresses. */
export interface ConnectionBound {
  /** Takes a connection in. @returns what is to be called when it has ended; null: it is one too many. */
  enter(address: string): (() => void) | null;
}

/** How long a log says nothing more about what it has told, in milliseconds. */
const TOLD_MS = 60_000;

/** Whoever comes from this machine: health checks, proxies and jobs of the operator. */
const OWN = ['127.0.0.0/8', '::1/128'];

/** What a bound is made of. */
export interface ConnectionBoundOptions {
  readonly connectionsPerAddress: number;
  /** Who may have many callers behind them; null: nobody but this machine. */
  readonly trustedProxies: TrustedProxies | null;
  readonly metrics: Pick<Metrics, 'connectionsRefused'>;
  readonly log: Pick<Logger, 'warn'>;
  /** A clock in milliseconds that never goes back. */
  readonly now?: () => number;
}

/** Bounds the connections of each address, IPv6 by its /64; but for those that may have many callers behind them: this machine and trusted proxies. */
export function boundConnections(options: ConnectionBoundOptions): ConnectionBound {
  const { connectionsPerAddress: most, trustedProxies, metrics, log, now = () => performance.now() } = options;
  const exempt = trustedProxies && 'networks' in trustedProxies ? [...OWN, ...trustedProxies.networks] : OWN;
  const counts = new Map<string, number>();
  let toldMs = Number.NEGATIVE_INFINITY;
  const refuse = (address: string): null => {
    metrics.connectionsRefused.inc();
    if (now() - toldMs >= TOLD_MS) {
      toldMs = now();
      log.warn({ address, most }, 'an address has as many connections as one may have, and its others are closed');
    }
    return null;
  };
  return {
    enter(address) {
      // With a number of proxies any address may be one of them.
      if ((trustedProxies && 'hops' in trustedProxies) || isInNetworks(address, exempt)) return () => undefined;
      const key = limitKey(address) ?? address;
      const count = counts.get(key) ?? 0;
      if (count >= most) return refuse(key);
      counts.set(key, count + 1);
      return () => {
        const left = (counts.get(key) ?? 1) - 1;
        if (left === 0) counts.delete(key);
        else counts.set(key, left);
      };
    },
  };
}
