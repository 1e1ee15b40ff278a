import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Cluster, startCluster } from './cluster.ts';
import { runSql } from './postgres.ts';

const run = promisify(execFile);

/** The password of the role `tls_only`. */
export const PASSWORD = 'p@ss,w0rd#1';

/** Files in PEM. */
export interface Certificates {
  readonly folder: string;
  /** The authority of the server and of the client. */
  readonly ca: string;
  /** An authority that signed nothing of the cluster. */
  readonly otherCa: string;
  readonly client: { readonly certificate: string; readonly key: string };
}

/**
 * A PostgreSQL with `ssl = on`, its certificate for `localhost` only. Its roles: `tls_only` (a password, TLS only), `plain_only` (never
 * TLS), `certified` (a client's certificate in its name) and `postgres` (however it comes).
 */
export interface TlsCluster extends Certificates {
  readonly cluster: Cluster;
  readonly port: number;
  /** The URL of a database, by role and parameters. */
  url(database: string, parameters: Readonly<Record<string, string>>, from?: { role?: string; hosts?: string }): string;
  stop(): Promise<void>;
}

const HBA = `
local all all trust
host all postgres 127.0.0.1/32 trust
hostssl all tls_only 127.0.0.1/32 scram-sha-256
hostssl all certified 127.0.0.1/32 trust clientcert=verify-full
hostnossl all plain_only 127.0.0.1/32 trust
`;

/** Starts one, or answers null and says why not. */
export async function startTlsCluster(settings: readonly string[] = []): Promise<TlsCluster | null> {
  const skip = (why: string): null => {
    process.stderr.write(`Skipped: PostgreSQL with TLS, for ${why}\n`);
    return null;
  };
  const certificates = await makeCertificates().catch(() => null);
  if (certificates === null) return skip('there is no openssl to make certificates with');
  const cluster = await startCluster({
    own: true,
    async prepare(data) {
      await copyFile(join(certificates.folder, 'server.pem'), join(data, 'server.crt'));
      await copyFile(join(certificates.folder, 'server.key'), join(data, 'server.key'));
      await copyFile(certificates.ca, join(data, 'ca.crt'));
      await chmod(join(data, 'server.key'), 0o600);
      await writeFile(join(data, 'pg_hba.conf'), HBA);
      return ['ssl=on', 'ssl_ca_file=ca.crt', ...settings];
    },
  });
  if (cluster === null) {
    await rm(certificates.folder, { recursive: true });
    return skip('it needs a PostgreSQL of its own');
  }
  for (const role of [`tls_only login password '${PASSWORD}'`, 'plain_only login', 'certified login'])
    await runSql(`${cluster.url}?sslmode=disable`, `create role ${role}`);
  const { port } = new URL(cluster.url);
  return {
    ...certificates,
    cluster,
    port: Number(port),
    url: (database, parameters, { role = 'tls_only', hosts = `localhost:${port}` } = {}) =>
      `postgres://${role}:${encodeURIComponent(PASSWORD)}@${hosts}/${database}?${Object.entries(parameters)
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
        .join('&')}`,
    async stop() {
      await cluster.stop();
      await rm(certificates.folder, { recursive: true, force: true });
    },
  };
}

async function makeCertificates(): Promise<Certificates> {
  const folder = await mkdtemp(join(tmpdir(), 'heliograph tls '));
  const openssl = (...args: string[]): Promise<unknown> => run('openssl', args, { cwd: folder });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const authority = (name: string): Promise<unknown> =>
    openssl(
      'req',
      '-x509',
      ...key,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
    );
  const signed = async (name: string, subject: string, extension: string): Promise<void> => {
    await writeFile(join(folder, `${name}.ext`), extension);
    await openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${subject}`);
    await openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-out',
      `${name}.pem`,
      '-days',
      '2',
      '-extfile',
      `${name}.ext`,
    );
  };
  await authority('ca');
  await authority('other');
  await signed('server', 'database', 'subjectAltName=DNS:localhost');
  await signed('client', 'certified', 'extendedKeyUsage=clientAuth');
  const file = (name: string): string => join(folder, name);
  return {
    folder,
    ca: file('ca.pem'),
    otherCa: file('other.pem'),
    client: { certificate: file('client.pem'), key: file('client.key') },
  };
}

/** A port that leads to a server, until it is cut. */
export interface Lane {
  readonly port: number;
  /** Ends its connections, and takes no more. */
  cut(): Promise<void>;
}

/** Opens a lane to a port of this machine. */
export async function openLane(port: number): Promise<Lane> {
  const sockets = new Set<Socket>();
  const server = createServer(client => {
    const upstream = connect(port, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    async cut() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
