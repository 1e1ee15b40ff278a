/** Configures every PostgreSQL connection: those of the pool, the queue and the listeners. */
import type { ConnectionOptions } from 'node:tls';
import type { ClientConfig, QueryResult } from 'pg';
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

/** A PostgreSQL URL, as libpq takes it, and the limits of its connections. */
export interface PostgresTarget extends Partial<PostgresLimits> {
  readonly url: string;
  /** The URL of the same database without a pooler, for what needs a session of its own; null: `url` has no pooler. */
  readonly directUrl?: string | null;
}

/** Defaults for tests and tools; the gateway's come from its settings. */
const LIMITS: PostgresLimits = { poolSize: 20, connectTimeoutMs: 5_000, statementTimeoutMs: 60_000 };

/** How long a server that timed out is tried last; else each new connection would wait for it first. */
const SILENT_MS = 30_000;

/** How to connect. */
export interface PostgresConnections {
  /** For the driver's pool and client. */
  readonly config: ReturnType<typeof configOf>;
  /** The longest that connecting may take, over all servers, in milliseconds; 0: no limit. */
  readonly openMs: number;
  /** The longest wait for a connection of the pool, in milliseconds; 0: no limit. */
  readonly waitMs: number;
  /** For the statements of the pool, in milliseconds; 0: not set by the gateway. */
  readonly statementTimeoutMs: number;
  readonly poolSize: number;
}

/** How to connect for one purpose; `applicationName` null: `PGAPPNAME`, else the gateway's name. @throws ConnectError for an unusable URL */
export function postgresConnections(target: PostgresTarget, applicationName: string | null): PostgresConnections {
  const url = parsePostgresUrl(target.url, refuse);
  const { poolSize, connectTimeoutMs, statementTimeoutMs } = { ...LIMITS, ...target };
  const timeoutMs = url.connectTimeoutMs ?? connectTimeoutMs;
  return {
    config: configOf(url, applicationName, timeoutMs),
    // Each server may be tried twice, and before that asked for its kind.
    openMs: timeoutMs * url.hosts.length * 4,
    // A waiting query does not try a hanging server twice; other servers get their turn.
    waitMs: timeoutMs * url.hosts.length,
    statementTimeoutMs: /\bstatement_timeout\b/.test(url.options ?? '') ? 0 : statementTimeoutMs,
    poolSize,
  };
}

/** How the queue connects: its pool as the pool of the gateway, and its listener, to which pg-boss gives the same options, directly. */
export function queueConnections(target: PostgresTarget): PostgresConnections {
  const name = 'heliograph-queue';
  const pooled = postgresConnections(target, name);
  if (!target.directUrl) return pooled;
  const direct = postgresConnections({ ...target, url: target.directUrl }, name);
  /** The class of the pool's connections, which the listener does not have. */
  class PooledClient extends BoundedClient {
    constructor(options: ClientConfig) {
      super({ ...options, ...pooled.config });
    }
  }
  return { ...pooled, config: { ...direct.config, Client: PooledClient } };
}

function configOf(url: PostgresUrl, applicationName: string | null, timeoutMs: number) {
  const [first] = url.hosts;
  const name = url.applicationName ?? applicationName;
  const route = routeOf(url, timeoutMs);
  return {
    /** The class of the pool's connections. */
    Client: BoundedClient,
    user: url.user,
    ...(url.password === undefined ? {} : { password: url.password }),
    database: url.database,
    // For display only: the stream connects by its route.
    host: first?.name ?? '',
    port: first?.port ?? 0,
    ssl: false as const,
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

/** The tries of libpq for each `sslmode`. */
const WAYS: Readonly<Record<TlsMode, readonly Way[]>> = {
  disable: ['plain'],
  allow: ['plain', 'tls'],
  prefer: ['tls if there', 'plain'],
  require: ['tls'],
  'verify-ca': ['tls'],
  'verify-full': ['tls'],
};

/** As in libpq, the certificate is checked if there are authorities to trust; its name with `verify-full` only. */
function tlsOf({ tls }: PostgresUrl): ConnectionOptions {
  return {
    ...readTlsFiles(tls, refuse),
    rejectUnauthorized: tls.rootCertificate !== null,
    ...(tls.mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
}

/** Asks the server for its kind, on an extra connection. */
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
