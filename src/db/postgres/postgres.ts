/** The one place that says how connections to PostgreSQL are opened: of the pool, of the queue, and of those that listen. */
import type { ConnectionOptions } from 'node:tls';
import type { QueryResult } from 'pg';
import { readTlsFiles } from '../../kernel/settings/postgres-tls.ts';
import {
  isSocketPath,
  type PostgresHost,
  type PostgresLimits,
  type PostgresUrl,
  parsePostgresUrl,
  type SessionKind,
  type TlsMode,
} from '../../kernel/settings/postgres-url.ts';
import { BoundedClient } from './bounded-client.ts';
import { ConnectError, placeOf } from './postgres-dial.ts';
import { type Candidate, PostgresSocket, type Route, type Way } from './postgres-socket.ts';

/** Where PostgreSQL is, as libpq's URLs say it, and how its connections are used. */
export interface PostgresTarget extends Partial<PostgresLimits> {
  readonly url: string;
}

/** What tests and tools need not say; the gateway's own come from its settings. */
const LIMITS: PostgresLimits = { poolSize: 20, connectTimeoutMs: 5_000, statementTimeoutMs: 60_000 };

/** How long a server that did not answer in time is tried last: else each new connection would wait for it first. */
const SILENT_MS = 30_000;

/** What the driver's pool and client are given. */
export interface DriverConfig {
  /** What the pools make their connections of. */
  readonly Client: typeof BoundedClient;
  readonly user: string;
  readonly password?: string;
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly ssl: false;
  readonly stream: () => PostgresSocket;
  readonly options?: string;
  readonly application_name?: string;
  readonly fallback_application_name: string;
  readonly enableChannelBinding: boolean;
}

/** How to open connections, each by the URL. */
export interface PostgresConnections {
  /** For the driver's pool and client. */
  readonly config: DriverConfig;
  /** How long opening one may take at most, whatever the servers do; 0: without end. */
  readonly openMs: number;
  /** How long a connection of the pool is waited for, new or given back; 0: without end. */
  readonly waitMs: number;
  /** For a statement of the pool; 0: the gateway sets none. */
  readonly statementTimeoutMs: number;
  readonly poolSize: number;
}

/**
 * How to open connections for one purpose.
 * @param applicationName what the server shows where the URL has no `application_name`; null: `PGAPPNAME`, or else the gateway's name
 * @throws ConnectError for a URL that cannot be used
 */
export function postgresConnections(target: PostgresTarget, applicationName: string | null): PostgresConnections {
  const url = parsePostgresUrl(target.url, refuse);
  const { poolSize, connectTimeoutMs, statementTimeoutMs } = { ...LIMITS, ...target };
  const timeoutMs = url.connectTimeoutMs ?? connectTimeoutMs;
  return {
    config: configOf(url, applicationName, timeoutMs),
    // Each server may be asked twice, and before that what it is.
    openMs: timeoutMs * url.hosts.length * 4,
    // A server that hangs is not asked twice by who waits; where there are others, they get their turn.
    waitMs: timeoutMs * url.hosts.length,
    statementTimeoutMs: /\bstatement_timeout\b/.test(url.options ?? '') ? 0 : statementTimeoutMs,
    poolSize,
  };
}

function configOf(url: PostgresUrl, applicationName: string | null, timeoutMs: number): DriverConfig {
  const [first] = url.hosts;
  const name = url.applicationName ?? applicationName;
  const route = routeOf(url, timeoutMs);
  return {
    Client: BoundedClient,
    user: url.user,
    ...(url.password === undefined ? {} : { password: url.password }),
    database: url.database,
    // Not gone by, but for what is shown: the stream goes its own way.
    host: first?.name ?? '',
    port: first?.port ?? 0,
    ssl: false,
    stream: () => new PostgresSocket(route),
    ...(url.options === undefined ? {} : { options: url.options }),
    fallback_application_name: 'heliograph',
    ...(name === null ? {} : { application_name: name }),
    enableChannelBinding: url.channelBinding !== 'disable',
  };
}

function routeOf(url: PostgresUrl, timeoutMs: number): Route {
  const silentUntilMs = new Map<PostgresHost, number>();
  const isSilent = (host: PostgresHost): boolean => (silentUntilMs.get(host) ?? 0) > performance.now();
  return {
    candidates() {
      const hosts = [...url.hosts.filter(host => !isSilent(host)), ...url.hosts.filter(isSilent)];
      const of = (sessions: SessionKind): Candidate[] => hosts.map(host => ({ host, sessions }));
      return url.sessions === 'prefer-standby' ? [...of('standby'), ...of('any')] : of(url.sessions);
    },
    waysTo: host => (isSocketPath(host) ? ['plain'] : WAYS[url.tls.mode]),
    tls: () => tlsOf(url),
    timeoutMs,
    onSilence: host => silentUntilMs.set(host, performance.now() + SILENT_MS),
    findFault: ({ host, sessions }) =>
      sessions === 'any' ? Promise.resolve(null) : findSessionFault({ ...url, hosts: [host] }, sessions, timeoutMs),
    bindsChannel: url.channelBinding === 'require',
  };
}

/** What libpq tries at a server, in order. */
const WAYS: Readonly<Record<TlsMode, readonly Way[]>> = {
  disable: ['plain'],
  allow: ['plain', 'tls'],
  prefer: ['tls if there', 'plain'],
  require: ['tls'],
  'verify-ca': ['tls'],
  'verify-full': ['tls'],
};

/** With authorities to trust, the certificate is checked whatever the mode; its name by `verify-full` alone. */
function tlsOf({ tls }: PostgresUrl): ConnectionOptions {
  return {
    ...readTlsFiles(tls, refuse),
    rejectUnauthorized: tls.rootCertificate !== null,
    ...(tls.mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
}

/** Asks the server what it is, on a connection of its own. */
async function findSessionFault(url: PostgresUrl, wanted: SessionKind, timeoutMs: number): Promise<string | null> {
  const client = new BoundedClient(configOf({ ...url, sessions: 'any' }, null, timeoutMs));
  try {
    await client.connect();
    const { rows }: QueryResult<{ is_standby: boolean; is_read_only: boolean }> = await client.query(
      "select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only",
    );
    const { is_standby: isStandby, is_read_only: isReadOnly } = rows[0] ?? { is_standby: false, is_read_only: false };
    const isWanted = {
      any: true,
      'read-write': !isReadOnly,
      'read-only': isReadOnly,
      primary: !isStandby,
      standby: isStandby,
      'prefer-standby': true,
    }[wanted];
    return isWanted ? null : `the session at ${url.hosts.map(placeOf).join()} is not ${wanted}`;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function refuse(message: string): never {
  throw new ConnectError(message);
}
