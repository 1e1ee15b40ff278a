/**
 * The directory `DATA_DIR`: made for one user alone, the secrets that are generated into it, and what its faults mean. Who holds it
 * is in `data-dir-lock.ts`, who is found in it in `announcement.ts`.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../kernel/process/start-error.ts';
import { syncFolder } from '../embedded/sync-files.ts';
import { makePrivate } from './private-tree.ts';

/** What opens the demo account: it is there only once there was a database. */
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

/**
 * Makes the directory (and those above it), closes it and everything in it to all users but this one, and checks that it can
 * be written.
 *
 * @throws StartError when it is not a directory, may not be written, belongs to somebody else, or the disk is full
 */
export function prepareDataDir(dataDir: string): void {
  explained(dataDir, () => {
    fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    makePrivate(dataDir);
    fs.accessSync(dataDir, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
  });
}

/**
 * The secret in the file `name` of the directory; the first caller makes it with `make` (one line of text, mode 0600).
 * Callers at the same time, in other processes too, get the same one.
 *
 * @param faultOf says what is wrong with a secret, repeating nothing of it; null where nothing is
 * @throws StartError when the file cannot be read or written, is empty (a lost key must never be replaced unnoticed), or faulty
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

/** As `readOrCreateSecret` reads it; null where there is no such file. @throws StartError */
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

/** What a failed use of the directory means for the person who started the gateway; other errors are given back unchanged. */
export function dataDirFault(dataDir: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  const fault = FAULTS[code] ?? `cannot be used (${code})`;
  return new StartError(
    `The data directory ${dataDir} ${fault}; mend that, or set DATA_DIR to another directory.`,
    error,
  );
}

/** Does something with the directory. @throws StartError that says what a failure of the system means */
export function explained<T>(dataDir: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw dataDirFault(dataDir, error);
  }
}

/** The system's name of a failed call; undefined for other errors. Node's own errors have codes too, but no `syscall`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined;
}

/**
 * Creates the file with its whole content, mode 0600; false when there is one. A link fails like O_EXCL where a file is,
 * and unlike it never shows a file whose content is still to come.
 */
function createWhole(path: string, text: string): boolean {
  const temporary = writeTemporary(path, text);
  try {
    try {
      fs.linkSync(temporary, path);
    } catch (error) {
      // What link(2) answers on a file system without hard links.
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

function writeTemporary(path: string, text: string): string {
  const temporary = `${path}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    fs.writeFileSync(temporary, text, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
  return temporary;
}
