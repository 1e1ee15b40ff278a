/** Parses a PostgreSQL URL like libpq (https://www.postgresql.org/docs/current/libpq-connect.html), with many hosts. */
import { userInfo } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import type { Fault } from './config-error.ts';

/** How a connection is encrypted, and what of the server's certificate is checked (`sslmode`). */
export type TlsMode = (typeof TLS_MODES)[number];

/** The servers that are accepted (`target_session_attrs`). */
export type SessionKind = (typeof SESSION_KINDS)[number];

/** One server. `name` is a host name, an address, or the absolute path of the directory of a Unix socket. */
export interface PostgresHost {
  readonly name: string;
  readonly port: number;
}

/** The TLS settings. Files are absolute paths. */
export interface PostgresTls {
  readonly mode: TlsMode;
  /** The file of certificate authorities, `system` for the machine's, or null: the certificate is not checked. */
  readonly rootCertificate: string | null;
  /** The client's certificate and key. */
  readonly client: { readonly certificate: string; readonly key: string; readonly password: string | undefined } | null;
}

/** Limits of the connections, unless the URL sets them. */
export interface PostgresLimits {
  /** The maximum size of the connection pool, without the queue's connections. */
  readonly poolSize: number;
  /** How long each server may take to open a connection, in milliseconds; 0: no limit. */
  readonly connectTimeoutMs: number;
  /** How long a statement of the pool may run, in milliseconds; 0: no limit. */
  readonly statementTimeoutMs: number;
}

/** A parsed URL. */
export interface PostgresUrl {
  /** At least one; they are tried in this order. */
  readonly hosts: readonly PostgresHost[];
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  readonly tls: PostgresTls;
  readonly applicationName: string | undefined;
  /** Settings of the session, as `-c name=value`. */
  readonly options: string | undefined;
  /** For each server; 0: no limit; null: the URL does not say. */
  readonly connectTimeoutMs: number | null;
  readonly sessions: SessionKind;
  /** Whether SCRAM authentication is bound to the TLS connection. */
  readonly channelBinding: (typeof CHANNEL_BINDINGS)[number];
}

const TLS_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
const SESSION_KINDS = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;
const CHANNEL_BINDINGS = ['disable', 'prefer', 'require'] as const;

const PARAMETERS = [
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslpassword',
  'application_name',
  'options',
  'connect_timeout',
  'target_session_attrs',
  'channel_binding',
] as const;

type Parameters = Partial<Record<(typeof PARAMETERS)[number], string>>;

const PORT_DEFAULT = 5432;
const MEND = 'it must look like postgres://user:password@host:5432/database.';

/** User and password, hosts, database, parameters. User and password end at the last @. */
const SHAPE = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;

/** Parses the URL. `fault` is called with the fault and the remedy, and with no part of user or password. */
export function parsePostgresUrl(text: string, fault: Fault): PostgresUrl {
  if (!/^postgres(ql)?:\/\//i.test(text))
    fault(`DATABASE_URL does not begin with postgres:// or postgresql://; ${MEND}`);
  const [, credentials = '', authority = '', path = '', query = ''] = SHAPE.exec(text) ?? ['', '', '', '@'];
  // An unescaped / or # in the password ends the host early: the user's name would be taken for the host.
  if (`${path}${query}`.includes('@'))
    fault(`DATABASE_URL has a bare #, /, ? or @ in its password (percent-encode it); ${MEND}`);
  const decode = (part: string): string => {
    try {
      return decodeURIComponent(part);
    } catch {
      return fault(`DATABASE_URL holds a % that is not percent-encoding (write %25); ${MEND}`);
    }
  };
  const [user, password] = splitAt(credentials, ':');
  const given = readParameters(query, decode, fault);
  const name = given.user ?? (decode(user) || ownName(fault));
  return {
    hosts: readHosts(authority, given, decode, fault),
    user: name,
    password: given.password ?? (decode(password) || undefined),
    database: given.dbname ?? (decode(path) || name),
    tls: readTls(given, fault),
    applicationName: given.application_name,
    options: given.options,
    connectTimeoutMs: readSeconds(given.connect_timeout, fault),
    sessions: readWord('target_session_attrs', given.target_session_attrs ?? 'any', SESSION_KINDS, fault),
    channelBinding: readWord('channel_binding', given.channel_binding ?? 'disable', CHANNEL_BINDINGS, fault),
  };
}

/** The text before and after the first `mark`; without a mark, all is before. */
function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** The operating system's user, as in libpq. In a container it may have no name. */
function ownName(fault: Fault): string {
  try {
    return userInfo().username;
  } catch {
    return fault(`DATABASE_URL names no user; ${MEND}`);
  }
}

/** Refuses unknown parameters, as libpq does: a misspelt `sslmode` would mean no TLS. A name may be part of a password: not quoted. */
function readParameters(query: string, decode: (part: string) => string, fault: Fault): Parameters {
  const given: Parameters = {};
  for (const [index, pair] of query.split('&').entries()) {
    if (pair === '') continue;
    const [before, after] = splitAt(pair, '=');
    const key = decode(before);
    const value = decode(after);
    const name = PARAMETERS.find(known => known === key);
    // JDBC's spelling, which libpq accepts too.
    if (key === 'ssl' && value === 'true') given.sslmode = 'require';
    else if (!name) fault(`DATABASE_URL: its parameter ${index + 1} is none of ${PARAMETERS.join(', ')}.`);
    else if (value !== '') given[name] = value;
  }
  return given;
}

function readHosts(
  authority: string,
  given: Parameters,
  decode: (part: string) => string,
  fault: Fault,
): PostgresHost[] {
  const noHost = `DATABASE_URL names no host; ${MEND}`;
  const entries = authority === '' ? [] : authority.split(',');
  const pairs = entries.map(entry => {
    const [, v6, bare = '', port = ''] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d*))?$/.exec(entry) ?? fault(badHost);
    return { name: v6 ?? decode(bare), port };
  });
  const names = given.host?.split(',') ?? pairs.map(pair => pair.name);
  const ports = given.port?.split(',') ?? (given.host ? [''] : pairs.map(pair => pair.port));
  if (names.length === 0 || names.includes('')) fault(noHost);
  if (ports.length !== 1 && ports.length !== names.length)
    fault('DATABASE_URL: its parameter port must be one port, or one for each host.');
  return names.map((name, index) => {
    const port = ports[ports.length === 1 ? 0 : index] || String(PORT_DEFAULT);
    if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) fault(badHost);
    return { name, port: Number(port) };
  });
}

const badHost = `DATABASE_URL holds a host or port that is none (percent-encode special characters of the password); ${MEND}`;

function readTls(given: Parameters, fault: Fault): PostgresTls {
  const isSystem = given.sslrootcert === 'system';
  const mode = readWord('sslmode', given.sslmode ?? (isSystem ? 'verify-full' : 'prefer'), TLS_MODES, fault);
  // Anybody can get a certificate of a public authority, so the host name must be checked too.
  if (isSystem && mode !== 'verify-full')
    fault(`DATABASE_URL: sslrootcert=system needs sslmode=verify-full, not ${mode}.`);
  if (mode.startsWith('verify') && !given.sslrootcert)
    fault(
      `DATABASE_URL: sslmode=${mode} needs sslrootcert, the file of the authorities to trust, or sslrootcert=system for those of this machine.`,
    );
  const { sslcert, sslkey, sslpassword } = given;
  if (!sslcert !== !sslkey) fault('DATABASE_URL: sslcert and sslkey are needed together.');
  return {
    mode,
    rootCertificate: isSystem ? 'system' : toPath(given.sslrootcert),
    client: sslcert && sslkey ? { certificate: resolve(sslcert), key: resolve(sslkey), password: sslpassword } : null,
  };
}

const toPath = (file: string | undefined): string | null => (file === undefined ? null : resolve(file));

/** Whether the host is a directory with a Unix socket. */
export const isSocketPath = (host: PostgresHost): boolean => isAbsolute(host.name);

function readSeconds(text: string | undefined, fault: Fault): number | null {
  if (text === undefined) return null;
  if (!/^-?\d{1,6}$/.test(text)) fault('DATABASE_URL: connect_timeout must be a whole number of seconds.');
  return Math.max(0, Number(text)) * 1_000;
}

function readWord<const Words extends readonly string[]>(
  name: string,
  text: string,
  words: Words,
  fault: Fault,
): Words[number] {
  return words.find(word => word === text) ?? fault(`DATABASE_URL: ${name} must be one of ${words.join(', ')}.`);
}
