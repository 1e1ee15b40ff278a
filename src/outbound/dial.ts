/** Opens connections. Every one is made to an address that was checked a moment ago: what a name meant before, or will mean, is of no account. */
import net from 'node:net';
import tls from 'node:tls';
import { codeOf, connectionFailed, type OutboundError, tlsFailed } from './faults.ts';
import type { FindAddresses, Target } from './target.ts';

/** How many addresses of a name are tried at most, so that one request is not a request to hundreds of machines. */
const ADDRESSES_TRIED_MAX = 8;

/** Opens a connection to a target, ready for HTTP/1.1. */
export type Dial = (target: Target, deadlineAt: number, signal: AbortSignal) => Promise<net.Socket>;

/**
 * Makes a `Dial`: the first address that takes the connection is used, and TLS is made for the name. @param ca as `OutboundOptions.ca`
 * @returns throws OutboundError `dns_failed`, `address_refused`, `connection_failed` or `tls_failed`
 */
export function createDial(findAddresses: FindAddresses, ca: string | undefined): Dial {
  return async (target, deadlineAt, signal) => {
    const addresses = (await findAddresses(target, signal)).slice(0, ADDRESSES_TRIED_MAX);
    let failure = connectionFailed(target.authority, null);
    for (const [index, address] of addresses.entries()) {
      if (signal.aborted) break;
      // An address that swallows packets leaves time for those after it.
      const limitMs = (deadlineAt - performance.now()) / (addresses.length - index);
      const opened = await open(address, target, ca, limitMs, signal);
      if (opened instanceof net.Socket) return opened;
      failure = opened;
      if (failure.fault === 'tls_failed') break;
    }
    throw failure;
  };
}

/** One connection to one address; what went wrong is a value. `limitMs` is for the connection alone, without TLS. */
function open(
  address: string,
  target: Target,
  ca: string | undefined,
  limitMs: number,
  signal: AbortSignal,
): Promise<net.Socket | OutboundError> {
  return new Promise(resolve => {
    const socket = target.isSecure ? openTls(address, target, ca) : net.connect(plainOptions(address, target));
    let isConnected = false;
    const timer = setTimeout(() => settle(connectionFailed(target.authority, 'ETIMEDOUT')), Math.max(0, limitMs));
    const abort = () => settle(connectionFailed(target.authority, null));
    const settle = (outcome: net.Socket | OutboundError) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      if (outcome !== socket) socket.destroy();
      resolve(outcome);
    };
    signal.addEventListener('abort', abort, { once: true });
    socket.once('connect', () => {
      isConnected = true;
      clearTimeout(timer);
    });
    socket.once(target.isSecure ? 'secureConnect' : 'connect', () => settle(socket));
    // This listener stays: an error between here and the HTTP client's own listener must not be one that nobody hears.
    socket.on('error', error => {
      const code = codeOf(error);
      settle(isConnected ? tlsFailed(target.host, code) : connectionFailed(target.authority, code));
    });
  });
}

/** `host` is always an address, so nothing is looked up here. */
function plainOptions(address: string, target: Target): net.TcpNetConnectOpts {
  return { host: address, port: target.port, noDelay: true, keepAlive: true };
}

function openTls(address: string, target: Target, ca: string | undefined): tls.TLSSocket {
  return tls.connect({
    ...plainOptions(address, target),
    // Without a name the certificate is checked for the address.
    ...(net.isIP(target.host) === 0 ? { servername: target.host.replace(/\.$/, '') } : {}),
    ...(ca === undefined ? {} : { ca }),
    ALPNProtocols: ['http/1.1'],
    // Whatever the environment says.
    rejectUnauthorized: true,
  });
}
