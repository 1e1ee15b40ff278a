/** Foreign programs as peers: started, listened to line by line, and ended. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Watched } from './watched.ts';

const SMSC = join(import.meta.dirname, 'smsc.pl');

/** Why the tests with these Debian packages cannot run here, printed once; null: they can. */
export function missing(packages: readonly PackageName[]): string | null {
  const absent = packages.filter(name => !PACKAGES[name]());
  if (absent.length === 0) return null;
  const reason = `not installed: ${absent.join(', ')}`;
  console.info(`Tests are skipped: ${reason}.`);
  return reason;
}

/** Kannel's bearerbox. */
export const BEARERBOX = '/usr/sbin/bearerbox';

/** The path of the SMSC of kannel-extras. */
export const DRIVE_SMPP = '/usr/lib/kannel/test/drive_smpp';

/** The path of PgBouncer. */
export const PGBOUNCER = '/usr/sbin/pgbouncer';

/** The path of HAProxy. */
export const HAPROXY = '/usr/sbin/haproxy';

type PackageName =
  | 'prometheus'
  | 'libnet-smpp-perl'
  | 'stunnel4'
  | 'kannel'
  | 'kannel-extras'
  | 'tshark'
  | 'pgbouncer'
  | 'patroni'
  | 'etcd'
  | 'haproxy'
  | 'buildah'
  | 'binutils'
  | 'runc';

const PACKAGES: Readonly<Record<PackageName, () => boolean>> = {
  'libnet-smpp-perl': () => spawnSync('perl', ['-MNet::SMPP', '-e', '1']).status === 0,
  prometheus: () => existsSync('/usr/bin/promtool'),
  stunnel4: () => existsSync('/usr/bin/stunnel4'),
  kannel: () => existsSync(BEARERBOX),
  'kannel-extras': () => existsSync(DRIVE_SMPP),
  tshark: () => existsSync('/usr/bin/tshark') && existsSync('/usr/bin/text2pcap'),
  pgbouncer: () => existsSync(PGBOUNCER),
  patroni: () => existsSync('/usr/bin/patroni'),
  etcd: () => existsSync('/usr/bin/etcd'),
  haproxy: () => existsSync(HAPROXY),
  buildah: () => existsSync('/usr/bin/buildah'),
  binutils: () => existsSync('/usr/bin/strip'),
  runc: () => existsSync('/usr/sbin/runc'),
};

/** A program that runs until it is disposed of. */
export interface Program extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Rejects when it ends by itself, for those that would else wait in vain. */
  readonly broken: Promise<never>;
  /** Lines of both its outputs, in order. */
  readonly lines: string[];
  /** Waits until so many lines match; answers all that do. */
  matching(pattern: RegExp, count: number): Promise<string[]>;
  /** Waits for the first line that matches, of those that were or of those to come. @throws Error where the program ends first */
  line(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Starts a program, as another user where one is given. */
export function startProgram(
  command: string,
  args: readonly string[],
  owner: { readonly uid?: number; readonly gid?: number } = {},
): Program {
  // A group of its own, so that what it forks ends with it.
  const child = spawn(command, args, { ...owner, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const lines: string[] = [];
  const heard = new Watched();
  const exited = once(child, 'exit');
  for (const output of [child.stdout, child.stderr]) {
    createInterface({ input: output }).on('line', line => {
      lines.push(line);
      heard.touch();
    });
  }
  const broken = exited.then(([status]): never => {
    throw new Error(`${command} ended (${String(status)}): ${lines.slice(-5).join(' | ')}`);
  });
  broken.catch(() => undefined);
  const find = (pattern: RegExp): RegExpExecArray | null =>
    lines.map(line => pattern.exec(line)).find(match => match !== null) ?? null;
  return {
    child,
    broken,
    lines,
    matching: (pattern, count) =>
      Promise.race([
        heard.until(() => {
          const found = lines.filter(line => pattern.test(line));
          return found.length >= count ? found : null;
        }),
        broken,
      ]),
    line: pattern => Promise.race([heard.until(() => find(pattern)), broken]),
    async [Symbol.asyncDispose]() {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
        process.kill(-child.pid, 'SIGKILL');
        await exited;
      }
    },
  };
}

/** One line of the Perl SMSC about a submit. */
export interface SubmitLine {
  readonly id: string;
  readonly source: string;
  readonly destination: string;
  /** `esm_class` in hex. */
  readonly esmClass: string;
  readonly dataCoding: number;
  readonly validity: string;
  readonly message: Buffer;
}

/** The SMSC of `smsc.pl`. */
export interface PerlSmsc extends Program {
  readonly port: number;
  /** Waits until it has said that it got so many submits; answers all, in order. */
  submitted(count: number): Promise<SubmitLine[]>;
}

/** Starts it; it takes `gateway` and `secret`. */
export async function startPerlSmsc(receiptIds = 'same'): Promise<PerlSmsc> {
  const program = startProgram('perl', [SMSC, 'gateway', 'secret', receiptIds]);
  const [, port] = await program.line(/^port (\d+)$/);
  return {
    ...program,
    port: Number(port),
    submitted: async count => (await program.matching(/^submit /, count)).map(readSubmit),
  };
}

function readSubmit(line: string): SubmitLine {
  const [, id = '', source = '', destination = '', esmClass = '', dataCoding, validity = '', hex = ''] =
    line.split(' ');
  const message = Buffer.from(hex, 'hex');
  return { id, source, destination, esmClass, dataCoding: Number(dataCoding), validity, message };
}
