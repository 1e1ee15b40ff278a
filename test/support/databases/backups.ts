/** Copies of a throwaway server: base backups, and replicas that stream from it. */
import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Cluster, findBinaries, startCluster } from './cluster.ts';
import { databaseUrl } from './postgres.ts';

const run = promisify(execFile);

/** Runs a program of the newest PostgreSQL of this machine, and answers its output. */
export async function runTool(name: string, args: readonly string[]): Promise<string> {
  const bin = await findBinaries();
  if (!bin) throw new Error('there is no PostgreSQL on this machine');
  // The path may have links to some of its programs alone.
  const folder = dirname(await realpath(join(bin, 'initdb')));
  const { stdout } = await run(join(folder, name), args, { env: { ...process.env, LC_ALL: 'C' }, maxBuffer: 1 << 28 });
  return stdout;
}

/** A base backup in a folder of its own. */
export interface Backup extends AsyncDisposable {
  readonly folder: string;
}

/** Takes a base backup of a server, with the log that it needs to be whole. */
export async function takeBackup(url: string): Promise<Backup> {
  const parent = await mkdtemp(join(tmpdir(), 'heliograph-backup-'));
  const folder = join(parent, 'base');
  await runTool('pg_basebackup', ['-D', folder, '-d', url, '-X', 'stream', '-c', 'fast', '--no-sync']);
  return { folder, [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }) };
}

/** Starts a replica that streams from a server. */
export async function startReplica(primary: Cluster): Promise<Cluster> {
  await using backup = await takeBackup(primary.url);
  const { hostname, port, username } = new URL(primary.url);
  const replica = await startCluster({
    own: true,
    backup: backup.folder,
    async prepare(data) {
      await writeFile(join(data, 'standby.signal'), '');
      return [`primary_conninfo=host=${hostname} port=${port} user=${username}`];
    },
  });
  if (!replica) throw new Error('there is no PostgreSQL on this machine');
  return replica;
}

/** The same database on another server. */
export const onServer = ({ url }: Cluster, of: string): string => databaseUrl(url, new URL(of).pathname.slice(1));
