import { spawnSync } from 'node:child_process';

/** Runs a command in a PID namespace of its own, as a container does. The command is the init process there, and dies with `unshare`. */
export const IN_NAMESPACE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'] as const;

/** Whether that can be done here: it takes Linux and root. Says so where not. */
export function canUnshare(): boolean {
  const [command, ...args] = IN_NAMESPACE;
  if (spawnSync(command, [...args, 'true']).status === 0) return true;
  process.stderr.write(
    'Skipped: processes in PID namespaces of their own, which take unshare (util-linux) and root.\n',
  );
  return false;
}
