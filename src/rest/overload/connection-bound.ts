/** How many connections an address and an account may have at once: each costs memory, whatever it does, and all of them are bounded together. */
import type { Socket } from 'node:net';
import { isInNetworks, limitKey, networkKey, type TrustedProxies } from '../../kernel/network/address.ts';
import { Counts } from '../../kernel/process/counts.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Metrics } from '../../observability/metrics.ts';

/** Counts the connections of addresses and accounts. */
export interface ConnectionBound {
  /** Takes a connection in. @returns a function to call when it has ended; null: it is one too many */
  enter(address: string): (() => void) | null;
  /**
   * Counts a connection for the account that uses it, and for no other one from now on. @param address of its other end; absent: the socket's
   * @returns how many the account has, where this would be one too many; null: it has not
   */
  use(socket: Socket, accountId: string, address?: string): number | null;
}

/** The shortest time between two warnings in the log, in milliseconds. */
const TOLD_MS = 60_000;

/** How many times as many connections a network may have as one address. Many customers of a provider share a network, or one has all of it. */
const NETWORK_FACTOR = 4;

/** Whoever comes from this machine: health checks, proxies and jobs of the operator. */
const OWN = ['127.0.0.0/8', '::1/128'];

interface ConnectionBoundOptions {
  readonly connectionsPerAddress: number;
  readonly connectionsPerAccount: number;
  /** Proxies, which are not bounded since many callers may stand behind them; null: only this machine is not. */
  readonly trustedProxies: TrustedProxies | null;
  readonly metrics: Pick<Metrics, 'connectionsRefused'>;
  readonly log: Pick<Logger, 'warn'>;
  /** A clock in milliseconds that never goes back. */
  readonly now?: () => number;
}

/**
 * Bounds the connections of each address (IPv6: /64), of each network (/24, IPv6: /48) and of each account. This machine and trusted
 * proxies may have many callers behind them, and are not bounded.
 */
export function boundConnections(options: ConnectionBoundOptions): ConnectionBound {
  const { connectionsPerAddress, connectionsPerAccount, trustedProxies, metrics, log } = options;
  const { now = () => performance.now() } = options;
  const exempt = trustedProxies && 'networks' in trustedProxies ? [...OWN, ...trustedProxies.networks] : OWN;
  // With a number of proxies any address may be one of them.
  const isExempt = (address: string): boolean =>
    (trustedProxies !== null && 'hops' in trustedProxies) || isInNetworks(address, exempt);
  const connectionsPerNetwork = connectionsPerAddress * NETWORK_FACTOR;
  const ofAddresses = new Counts(connectionsPerAddress);
  const ofNetworks = new Counts(connectionsPerNetwork);
  const ofAccounts = new Counts(connectionsPerAccount);
  /** The account that used each connection last; null: it is not counted. */
  const users = new WeakMap<Socket, { readonly accountId: string; readonly leave: () => void } | null>();
  let toldMs = Number.NEGATIVE_INFINITY;
  const note = (facts: object, message: string): void => {
    metrics.connectionsRefused.inc();
    if (now() - toldMs < TOLD_MS) return;
    toldMs = now();
    log.warn(facts, message);
  };
  return {
    enter(address) {
      if (isExempt(address)) return () => undefined;
      const [key, network] = [limitKey(address) ?? address, networkKey(address) ?? address];
      const leaveAddress = ofAddresses.enter(key);
      if (!leaveAddress) {
        note(
          { address: key, most: connectionsPerAddress },
          'an address has as many connections as one may have, and its others are closed',
        );
        return null;
      }
      const leaveNetwork = ofNetworks.enter(network);
      if (!leaveNetwork) {
        leaveAddress();
        note(
          { network, most: connectionsPerNetwork },
          'a network has as many connections as one may have, and its others are closed',
        );
        return null;
      }
      return () => {
        leaveAddress();
        leaveNetwork();
      };
    },
    use(socket, accountId, address = socket.remoteAddress ?? '') {
      const user = users.get(socket);
      // The end of a connection that has ended already would not be heard.
      if (user === null || user?.accountId === accountId || socket.destroyed) return null;
      if (user === undefined && isExempt(address)) {
        users.set(socket, null);
        return null;
      }
      const leave = ofAccounts.enter(accountId);
      if (!leave) {
        note(
          { accountId, most: connectionsPerAccount },
          'an account has as many connections as one may have, and its others are closed',
        );
        return connectionsPerAccount;
      }
      if (user) user.leave();
      else socket.once('close', () => users.get(socket)?.leave());
      users.set(socket, { accountId, leave });
      return null;
    },
  };
}
