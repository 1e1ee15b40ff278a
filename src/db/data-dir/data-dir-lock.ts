/** The lock file of the data directory: PGlite lets two processes open, and corrupt, one database. */
import fs from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../../kernel/process/start-error.ts';
import { holderOf, withdrawHolder } from './announcement.ts';
import { codeOf, explained } from './data-dir.ts';

/** The right to use the data directory, held until `release` or the end of the process. */
interface DataDirLock {
  /** Releases the directory; safe to repeat, also while the process exits. */
  release(): void;
}

/** Another process has the data directory. */
export class DirectoryInUse extends StartError {}

const LOCK_FILE = 'gateway.lock';

/** How long a refused process waits, blocking: several that start at once may each hold a part of the lock first. */
const WAIT_MS = 1_000;

/** The longest path that SQLite accepts, in bytes. */
const PATH_BYTES_MAX = 500;

/** Error codes of SQLite. */
const BUSY = 5;
const NOT_A_DATABASE = 26;

/** Keeps locks from garbage collection, which would release them. */
const held = new Set<DatabaseSync>();

/**
 * Locks the directory by SQLite's exclusive lock, which the kernel holds: it ends with its process and works between containers. POSIX
 * drops it when any other handle of the file is closed, so only SQLite opens it. The file is never deleted: a lock on an unlinked file is none.
 */
export function lockDataDir(dataDir: string): DataDirLock {
  const path = join(dataDir, LOCK_FILE);
  explained(dataDir, () => createEmpty(path));
  const lock = take(dataDir, path);
  held.add(lock);
  // The former holder is gone, but could not remove its announcement.
  withdrawHolder(dataDir);
  return {
    release() {
      if (held.delete(lock)) lock.close();
    },
  };
}

function take(dataDir: string, path: string): DatabaseSync {
  let lock: DatabaseSync | null = null;
  try {
    lock = new DatabaseSync(path, { timeout: WAIT_MS });
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock?.close();
    throw refusal(dataDir, path, error);
  }
}

function refusal(dataDir: string, path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'errcode' in error)) return error;
  // The upper bytes hold SQLite's extended code.
  const code = Number(error.errcode) & 0xff;
  if (code === BUSY) {
    const holder = holderOf(dataDir);
    const who = holder
      ? `another gateway (process ${holder.pid}, ${holder.url})`
      : 'another gateway, or a command of one';
    return new DirectoryInUse(
      `The data directory ${dataDir} is in use by ${who}. Stop it first, or set DATA_DIR to another directory.`,
    );
  }
  if (code === NOT_A_DATABASE) {
    return new StartError(`The file ${path} is no lock; delete it when no gateway runs on that directory.`, error);
  }
  const why = Buffer.byteLength(path) > PATH_BYTES_MAX ? 'its path is too long' : error.message;
  return new StartError(
    `The data directory ${dataDir} cannot be locked: ${why}; mend that, or set DATA_DIR to another directory.`,
    error,
  );
}

/** Creates the file and closes it before anybody can hold a lock of it. */
function createEmpty(path: string): void {
  try {
    fs.writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
