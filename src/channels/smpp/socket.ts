/** The connection to an SMSC: TCP, or TLS whose certificate is for the right name and by an authority that is believed. */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Place } from '../faults.ts';
import type { SmppConfig } from './config.ts';

/** Begins to connect. `onReady` is called when bytes may be written: over TLS, when the other side has shown that it is the right one. */
export function openSocket({ host, port, tls }: SmppConfig, onReady: () => void): Socket {
  if (!tls) return connectTcp({ host, port, noDelay: true }, onReady);
  const { ca, servername = isIP(host) ? '' : host } = tls === true ? {} : tls;
  const socket = connectTls({ host, port, servername, ...(ca === undefined ? {} : { ca }) }, onReady);
  return socket.setNoDelay(true);
}

/** The host and port of an SMSC; an IPv6 address has brackets. */
export function placeOf({ host, port }: Pick<SmppConfig, 'host' | 'port'>): Place {
  return { host, authority: isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}` };
}
