/** The directory `DATA_DIR` and its secrets. Its lock file is in `data-dir-lock.ts`, the address in `announcement.ts`. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../kernel/process/start-error.ts';
import { syncFolder } from '../embedded/sync-files.ts';
import { makePrivate } from './private-tree.ts';

/** The demo credentials. Written after the database, so this file proves that there was one. */
export const DEMO_FILE = 'demo.json';

const NOT_A_DIRECTORY = 'is a file or lies below one, not a directory';
const NO_PERMISSION = 'may not be read and written by the user that runs the gateway';
const DISK_FULL = 'cannot be written because its disk is full';
const FAULTS: Readonly<Record<string, string>> = {
  EEXIST: NOT_A_DIRECTORY,
  ENOTDIR: NOT_A_DIRECTORY,
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  EROFS: 'is on a disk that is read-only',
  ENOSPC: DISK_FULL,
  EDQUOT: DISK_FULL,
};

/** Creates the directory, private to this user. @throws StartError if it is none, another user's or not writable, or the disk is full */
export function prepareDataDir(dataDir: string): void {
  explained(dataDir, () => {
    fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    makePrivate(dataDir);
    fs.accessSync(dataDir, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
  });
}

/**
 * The secret in the file `name`, made (mode 0600) if there is none; concurrent callers get the same. @throws StartError if the file
 * cannot be read or written, is empty (a lost key is never replaced silently), or faulty by `faultOf`, which quotes nothing
 */
export function readOrCreateSecret(
  dataDir: string,
  name: string,
  make: () => string,
  faultOf?: (secret: string) => string | null,
): string {
  const kept = readSecret(dataDir, name, faultOf);
  if (kept !== null) return kept;
  explained(dataDir, () => {
    if (createWhole(join(dataDir, name), `${make()}\n`)) syncFolder(dataDir);
  });
  return readOrCreateSecret(dataDir, name, make, faultOf);
}

/** Reads a secret as `readOrCreateSecret` does; null if there is no file. @throws StartError */
export function readSecret(
  dataDir: string,
  name: string,
  faultOf: (secret: string) => string | null = () => null,
): string | null {
  const path = join(dataDir, name);
  const text = explained(dataDir, () => (fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : null));
  if (text === null) return null;
  const secret = text.trim();
  if (secret === '') {
    throw new StartError(`The file ${path} is empty; put the secret back, or delete it to have a new one made.`);
  }
  const fault = faultOf(secret);
  if (fault !== null) throw new StartError(`The secret in the file ${path} ${fault}.`);
  return secret;
}

/** Explains a failed use of the directory to the operator; other errors are returned unchanged. */
export function dataDirFault(dataDir: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  const fault = FAULTS[code] ?? `cannot be used (${code})`;
  return new StartError(
    `The data directory ${dataDir} ${fault}; mend that, or set DATA_DIR to another directory.`,
    error,
  );
}

/** Runs `use`. @throws StartError that explains a failed system call */
export function explained<T>(dataDir: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw dataDirFault(dataDir, error);
  }
}

/** The errno name of a failed system call; undefined for other errors (Node's own have a code, but no `syscall`). */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined;
}

/** Creates a whole file, mode 0600; false if it exists. A hard link fails then as O_EXCL does, and never shows half a file. */
function createWhole(path: string, text: string): boolean {
  const temporary = writeTemporary(path, text);
  try {
    try {
      fs.linkSync(temporary, path);
    } catch (error) {
      // Errors of link(2) on a file system without hard links.
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error) ?? '')) throw error;
      fs.writeFileSync(path, text, { flag: 'wx', mode: 0o600, flush: true });
    }
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

/** Writes a file beside `path` under a random name, mode 0600, synced to the disk. Answers its path. */
export function writeTemporary(path: string, text: string): string {
  const temporary = `${path}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    fs.writeFileSync(temporary, text, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
  return temporary;
}
