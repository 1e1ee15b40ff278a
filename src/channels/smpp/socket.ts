/** The connection to an SMSC: TCP, or TLS whose certificate is for the right name and by an authority that is believed. */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Place } from '../faults.ts';
import type { SmppConfig } from './config.ts';

/** How long what was written last, as a goodbye, may take to leave. */
const FLUSH_MS = 1_000;

/** Begins to connect. `onReady` is called when bytes may be written: over TLS, when the other side has shown that it is the right one. */
export function openSocket({ host, port, tls }: SmppConfig, onReady: () => void): Socket {
  if (!tls) return connectTcp({ host, port, noDelay: true }, onReady);
  const { ca, servername = isIP(host) ? '' : host } = tls === true ? {} : tls;
  const socket = connectTls({ host, port, servername, ...(ca === undefined ? {} : { ca }) }, onReady);
  return socket.setNoDelay(true);
}

/** Lets what was written leave, for a while, and closes it. */
export function closeSoon(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), FLUSH_MS).unref();
  socket.once('close', () => clearTimeout(timer)).destroySoon();
}

/** The host and port of an SMSC; an IPv6 address has brackets. */
export function placeOf({ host, port }: Pick<SmppConfig, 'host' | 'port'>): Place {
  return { host, authority: isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}` };
}
