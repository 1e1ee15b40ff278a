/** A systemd of its own, as the first process of namespaces, with cgroups of its own. Nothing of the machine is changed, and all is gone with it. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import packageJson from '../../../package.json' with { type: 'json' };
import { until } from '../processes/gateway.ts';
import { REPOSITORY } from '../repository.ts';
import { type Program, startProgram } from '../smpp/programs.ts';

const SCRIPT = join(import.meta.dirname, 'systemd.sh');
const SYSTEMD = '/usr/lib/systemd/systemd';
const NAMESPACES = ['--mount', '--pid', '--ipc', '--uts', '--cgroup', '--fork', '--kill-child'];
const TRY_OVERLAY =
  'mount -t tmpfs none /mnt && cd /mnt && mkdir u w r && mount -t overlay none -o lowerdir=/,upperdir=u,workdir=w r';

/** The folder of the cgroups of version 2; undefined: there is none, or nobody may make one there. */
const cgroupsOf = (): string | undefined =>
  readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map(line => line.split(' '))
    .find(([, , type, options = '']) => type === 'cgroup2' && options.startsWith('rw'))?.[1];

/** Why there cannot be one here; null: there can. */
export function whyNoSystemd(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'that takes Linux and root';
  const { stdout } = spawnSync(SYSTEMD, ['--version'], { encoding: 'utf8' });
  if (!(Number(/^systemd (\d+)/.exec(stdout ?? '')?.[1]) >= 252)) return 'systemd 252 is not installed';
  if (cgroupsOf() === undefined) return 'there is no cgroup2 that may be written to';
  const { status } = spawnSync('unshare', [...NAMESPACES, 'sh', '-c', TRY_OVERLAY]);
  return status === 0 ? null : 'namespaces and an overlay cannot be made';
}

/** A systemd that has started. */
export interface Systemd extends AsyncDisposable {
  /** Runs a program beside it, and answers its output. @throws Error where it fails */
  run(...command: readonly string[]): Promise<string>;
  /** Starts a program beside it. */
  start(...command: readonly string[]): Program;
}

/** Boots it. The service is there with its settings, as docs/operating.md says, and is not started. */
export async function bootSystemd(settings: Readonly<Record<string, string>>): Promise<Systemd> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp('/tmp/heliograph-systemd-');
  stack.defer(() => rm(folder, { recursive: true }));
  const lines = Object.entries(settings).map(([name, value]) => `${name}='${value}'\n`);
  await writeFile(join(folder, 'heliograph.env'), lines.join(''));

  const cgroup = join(cgroupsOf() ?? '', `heliograph-${folder.slice(-6)}`);
  mkdirSync(cgroup);
  stack.defer(async () => {
    const isEmpty = () => readFileSync(join(cgroup, 'cgroup.events'), 'utf8').includes('populated 0');
    await until('its processes have ended', async () => isEmpty() || null);
    removeCgroup(cgroup);
  });
  const enter = 'echo $$ >"$0/cgroup.procs" && exec "$@"';
  const script = ['bash', SCRIPT, folder, process.execPath, REPOSITORY, 'package.json', ...packageJson.files];
  const args = ['--pdeathsig', 'KILL', 'sh', '-c', enter, cgroup, 'unshare', ...NAMESPACES, ...script];
  const program = stack.use(startProgram('setpriv', args));
  // Whoever enters before would be on the machine itself.
  await program.line(/^the copy is mounted$/);
  const { pid } = program.child;
  const first = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  const beside = ['--target', first, '--mount', '--pid', '--ipc', '--uts', '--cgroup'];
  const run = async (...command: readonly string[]) =>
    (await promisify(execFile)('nsenter', [...beside, ...command])).stdout;
  const isUp = async () => (await run('systemctl', 'is-active', 'multi-user.target').catch(() => '')) === 'active\n';
  await until('systemd has started', async () => (await isUp()) || null);
  const all = stack.move();
  return {
    run,
    start: (...command) => all.use(startProgram('nsenter', [...beside, ...command])),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** A cgroup is removed when none is below it; its files go with it. */
function removeCgroup(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) removeCgroup(join(path, entry.name));
  rmdirSync(path);
}
