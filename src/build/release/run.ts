/** Commands of a release. */
import { execFileSync, spawnSync } from 'node:child_process';
import { ReleaseRefusal } from './refusal.ts';

/** Runs a command whose output is shown. @throws ReleaseRefusal where it fails */
export function run(command: string, ...args: readonly string[]): void {
  try {
    execFileSync(command, args, { stdio: 'inherit' });
  } catch (error) {
    throw new ReleaseRefusal(`${[command, ...args].join(' ')} failed; what it says stands above.`, { cause: error });
  }
}

/** The answer of git, without the line break at its end. @throws ReleaseRefusal where it fails */
export function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8' });
  if (status !== 0) throw new ReleaseRefusal(`git ${args[0]} failed: ${stderr}`);
  return stdout.trimEnd();
}
