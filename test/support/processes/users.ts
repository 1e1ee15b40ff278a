import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '../repository.ts';

/** The user `nobody` (and its group), by number: such a user need not be known by name. */
export const NOBODY = 65_534;

/** Whether the tests run as root, who alone may start a process as somebody else, or mount a disk. */
export const isRoot = process.getuid?.() === 0;

/** Whether a gateway can be started as `nobody` here: it takes root, and a project that others may read. Says so where not. */
export async function canRunAsNobody(): Promise<boolean> {
  const user = { uid: NOBODY, gid: NOBODY, cwd: '/' };
  try {
    if (!isRoot) throw new Error('not root');
    await promisify(execFile)(process.execPath, ['--check', join(REPOSITORY, 'src/start.js')], user);
    return true;
  } catch {
    process.stderr.write('Skipped: starts as an ordinary user take root and a project that others may read.\n');
    return false;
  }
}
