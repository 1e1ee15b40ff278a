/** PgBouncer (Debian: pgbouncer): a pooler in front of the PostgreSQL of the tests, set as docs/operating.md shows it. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../processes/free-ports.ts';
import { REPOSITORY } from '../repository.ts';
import { PGBOUNCER, type Program, startProgram } from '../smpp/programs.ts';
import { findOwner } from './cluster.ts';

/** A PgBouncer that runs. */
export interface Pgbouncer extends AsyncDisposable {
  /** The URL of a database of the server, through it. */
  through(url: string): string;
  /** Ends it at once, as a crash does: every connection through it breaks. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, at the same address. */
  restart(): Promise<void>;
  /** Stops it where it stands (SIGSTOP): connections stay, and nothing goes through. */
  freeze(): void;
  /** Lets it go on. */
  thaw(): void;
}

/** Its settings that differ from those of the documentation. */
export type PgbouncerSettings = Readonly<Record<string, string | number>>;

/** Starts one in front of the server of a URL, as an unprivileged user, and waits until it listens. */
export async function startPgbouncer(url: string, settings: PgbouncerSettings): Promise<Pgbouncer> {
  const owner = await findOwner();
  // Its user must reach the file.
  const folder = await mkdtemp(join(owner.uid === undefined ? tmpdir() : '/tmp', 'heliograph-pgbouncer-'));
  await chmod(folder, 0o755);
  const file = join(folder, 'pgbouncer.ini');
  const port = await freePort();
  await writeFile(file, await configOf(new URL(url), { ...settings, listen_port: port }));
  const launch = async (): Promise<Program> => {
    const program = startProgram(PGBOUNCER, [file], owner);
    await program.line(/process up/);
    return program;
  };
  let running = await launch();
  return {
    through(database) {
      const result = new URL(database);
      result.host = `127.0.0.1:${port}`;
      return result.href;
    },
    async kill() {
      await running[Symbol.asyncDispose]();
    },
    async restart() {
      running = await launch();
    },
    freeze: () => void running.child.kill('SIGSTOP'),
    thaw: () => void running.child.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

/** The documented file, for every database of the server and for whoever comes. A later line goes before an earlier one. */
async function configOf(server: URL, settings: PgbouncerSettings): Promise<string> {
  const page = await readFile(join(REPOSITORY, 'docs/operating.md'), 'utf8');
  const sample = /```ini\n(.*?)```/s.exec(page)?.[1] ?? '';
  const { hostname, port, username, password } = server;
  const user = `user=${username}${password ? ` password=${password}` : ''}`;
  const own = { auth_type: 'any', logfile: '', pidfile: '', unix_socket_dir: '', ...settings };
  return [
    sample.replace(/^\w+ = host=\S+ port=\S+ dbname=\S+/m, `* = host=${hostname} port=${port || 5432} ${user}`),
    ...Object.entries(own).map(([name, value]) => `${name} = ${value}`),
    '',
  ].join('\n');
}
