import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, chown, constants, cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../processes/free-ports.ts';

const run = promisify(execFile);
const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;
const VERSION_MIN = 15;
const DEBIAN_ROOT = '/usr/lib/postgresql';

/** A PostgreSQL server for tests. `stop` is harmless to call twice, and does nothing to a server that was given. */
export interface Cluster {
  kind: 'postgres';
  /** URL of a maintenance database, as a role that may create databases. */
  url: string;
  /** True where the server was made here and dies with `stop`; false for `TEST_DATABASE_URL`. */
  throwaway: boolean;
  stop(): Promise<void>;
  /** Ends the server at once, as a crash does, and keeps its files. A server that was given cannot be ended. */
  crash(): Promise<void>;
  /** Starts it again after `crash`, at the same address. */
  restart(): Promise<void>;
  /** Stops every process of the server where it stands (SIGSTOP): connections stay, and nobody answers. Only on Linux. */
  freeze(): Promise<void>;
  /** Lets them go on. */
  thaw(): Promise<void>;
}

/** `test`: no flushing to disk, 200 connections. `default`: PostgreSQL as installed, only told where to listen. */
export interface ClusterOptions {
  settings?: 'test' | 'default';
  /** A server of one's own, to crash it, though one is given by `TEST_DATABASE_URL`. */
  own?: boolean;
  /** The folder of a base backup to begin with, instead of an empty server; it stays as it is. */
  backup?: string;
  /** Writes files into the data directory before the server starts, and answers settings to start it with. */
  prepare?(data: string): Promise<readonly string[]>;
}

/** Commits stay synchronous, so that positions in the log mean what they mean in production; only the disk is spared. */
const TEST_SETTINGS = ['fsync=off', 'full_page_writes=off', 'max_connections=200'];

/**
 * Gives a PostgreSQL server: the one of `TEST_DATABASE_URL`, else a throwaway one from an installed `initdb`, else null.
 * Binaries are taken from the path or /usr/lib/postgresql, from version 15 on. `TEST_DATABASE=pglite` always gives null;
 * `TEST_DATABASE=postgres` makes it an error to find none. Throws where a server was found and does not start.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster | null> {
  const { TEST_DATABASE: wanted, TEST_DATABASE_URL: url } = process.env;
  if (wanted && wanted !== 'pglite' && wanted !== 'postgres') {
    throw new Error(`TEST_DATABASE must be "pglite" or "postgres", not "${wanted}"`);
  }
  if (wanted === 'pglite') return null;
  if (url && !options.own) return givenCluster(url);
  const bin = await findBinaries();
  if (bin) return makeCluster(bin, options);
  if (wanted === 'postgres') throw new Error(`no PostgreSQL ${VERSION_MIN} or newer on PATH or under ${DEBIAN_ROOT}`);
  return null;
}

function givenCluster(url: string): Cluster {
  const refuse = async (): Promise<never> => {
    throw new Error('the server of TEST_DATABASE_URL is not ours to end');
  };
  return {
    kind: 'postgres',
    url,
    throwaway: false,
    stop: async () => undefined,
    crash: refuse,
    restart: refuse,
    freeze: refuse,
    thaw: refuse,
  };
}

/** The folder of the newest PostgreSQL of this machine; null: there is none. */
export async function findBinaries(): Promise<string | null> {
  const versions = await readdir(DEBIAN_ROOT).catch((): string[] => []);
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a)).map(version => join(DEBIAN_ROOT, version, 'bin'));
  const onPath = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  for (const folder of [...onPath, ...newestFirst]) {
    try {
      await access(join(folder, 'initdb'), constants.X_OK);
      const { stdout } = await run(join(folder, 'postgres'), ['--version']);
      if (Number(/(\d+)/.exec(stdout)?.[1]) >= VERSION_MIN) return folder;
    } catch {
      // Not here, or not usable: the next folder may have one.
    }
  }
  return null;
}

/** The user who runs a server; empty: the user of the tests. */
export interface Owner {
  uid?: number;
  gid?: number;
}

/** Servers of databases refuse to run as root; there they belong to `postgres` where that user exists, else to `nobody`. */
export async function findOwner(): Promise<Owner> {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    } catch {
      // No such user on this machine.
    }
  }
  throw new Error('running as root, and there is no user "postgres" or "nobody" to run a server as');
}

async function makeCluster(bin: string, { settings = 'test', backup, prepare }: ClusterOptions): Promise<Cluster> {
  const owner = await findOwner();
  // The unprivileged user must reach the folder, and a socket's path may have 107 bytes at most.
  const base = owner.uid !== undefined || tmpdir().length > 60 ? '/tmp' : tmpdir();
  const folder = await mkdtemp(join(base, 'heliograph-pg-'));
  if (owner.uid !== undefined && owner.gid !== undefined) await chown(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  // PG* variables of the caller's shell must not reach the server, and its messages are matched in English.
  const spawnOptions = { ...owner, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' } };
  const flags = ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C'];
  try {
    if (backup) await cp(backup, data, { recursive: true, mode: constants.COPYFILE_FICLONE });
    else await run(join(bin, 'initdb'), settings === 'test' ? [...flags, '--no-sync'] : flags, spawnOptions);
    const port = await freePort();
    const given = ['listen_addresses=127.0.0.1', `port=${port}`, `unix_socket_directories=${folder}`];
    const prepared = (await prepare?.(data)) ?? [];
    await chmod(data, 0o700);
    if (owner.uid !== undefined) await run('chown', ['-R', `${owner.uid}:${owner.gid}`, data]);
    const all = [...given, ...(settings === 'test' ? TEST_SETTINGS : []), ...prepared];
    const args = ['-D', data, ...all.flatMap(setting => ['-c', setting])];
    const launch = async (): Promise<{ server: ChildProcess; watchdog: ChildProcess }> => {
      const server = spawn(join(bin, 'postgres'), args, {
        ...spawnOptions,
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true,
      });
      const watchdog = startWatchdog(server, folder);
      await untilReady(server).catch(error => {
        watchdog.stdin?.end();
        throw error;
      });
      return { server, watchdog };
    };
    let running = await launch();
    const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
    let stopping: Promise<void> | undefined;
    const stop = () => {
      stopping ??= stopServer(running.server, running.watchdog, folder);
      return stopping;
    };
    const crash = async () => {
      running.watchdog.kill('SIGKILL');
      const ended = once(running.server, 'exit');
      running.server.kill('SIGQUIT');
      await ended;
    };
    const restart = async () => {
      running = await launch();
    };
    const freeze = () => signalAll(running.server, 'SIGSTOP');
    const thaw = () => signalAll(running.server, 'SIGCONT');
    return { kind: 'postgres', url, throwaway: true, stop, crash, restart, freeze, thaw };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Signals the server and then its children; the server comes first, so that it makes no more of them. */
async function signalAll({ pid = 0 }: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  process.kill(pid, signal);
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  for (const child of children.trim().split(' ').filter(Boolean)) {
    try {
      process.kill(Number(child), signal);
    } catch {
      // The process has just ended.
    }
  }
}

/**
 * A shell that outlives this process and waits for its own input to end. However this process dies, kill -9 included,
 * the server and its folder go too. Shell and server are detached so that Ctrl-C reaches the tests first.
 */
function startWatchdog(server: ChildProcess, folder: string): ChildProcess {
  const script = 'read -r _; kill -QUIT "$1" 2>/dev/null; rm -rf "$2"';
  const watchdog = spawn('/bin/sh', ['-c', script, 'watchdog', String(server.pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watchdog.unref();
  return watchdog;
}

async function untilReady(server: ChildProcess): Promise<void> {
  let log = '';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (why: string) => reject(new Error(`PostgreSQL ${why}:\n${log.slice(-4_000)}`));
  const timer = setTimeout(() => fail(`was not ready after ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS);
  server.once('error', reject);
  server.once('exit', code => fail(`ended with status ${code} before it was ready`));
  // Reading goes on after the start: a full pipe would stop the server.
  server.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    log = (log + chunk).slice(-8_000);
    if (/ready to accept (read-only )?connections/.test(log)) resolve();
  });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    server.removeAllListeners('exit');
  }
}

async function stopServer(server: ChildProcess, watchdog: ChildProcess, folder: string): Promise<void> {
  if (server.exitCode === null && server.signalCode === null) {
    const ended = once(server, 'exit');
    server.kill('SIGINT');
    const timer = setTimeout(() => server.kill('SIGQUIT'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  }
  watchdog.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
}
