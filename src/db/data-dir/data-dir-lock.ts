/**
 * The lock of the data directory. The embedded database does not lock its files: two processes can open and spoil them.
 *
 * SQLite's exclusive lock of a file is one that the kernel keeps (fcntl, LockFileEx): it ends with its process however that ends,
 * holds while that one is stopped, and knows no namespaces of process numbers, so it holds between containers too. POSIX takes it
 * from a process that closes any other handle of the file, so nothing but SQLite ever opens the file. It is never deleted: a lock of
 * a file without a name holds nobody off.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../../kernel/process/start-error.ts';
import { holderOf, withdrawHolder } from './announcement.ts';
import { codeOf, explained } from './data-dir.ts';

/** The right to use the data directory, held by this process until it ends or gives it back. */
export interface DataDirLock {
  /** Gives the directory back; safe to repeat, also while the process exits. */
  release(): void;
}

const LOCK_FILE = 'gateway.lock';

/** How long one who is refused waits, blocking: of many who take the lock at once each first holds a part of it. */
const WAIT_MS = 1_000;

/** The longest path that SQLite takes, in bytes. */
const PATH_BYTES_MAX = 500;

/** Numbers of SQLite's errors. */
const BUSY = 5;
const NOT_A_DATABASE = 26;

/** Else a lock whose holder is forgotten would end when its memory is collected. */
const held = new Set<DatabaseSync>();

/**
 * Takes the directory for this process; of processes that try at the same time exactly one wins.
 *
 * @throws StartError when another process holds it (without a cause), or it cannot be locked (with one)
 */
export function lockDataDir(dataDir: string): DataDirLock {
  const path = join(dataDir, LOCK_FILE);
  explained(dataDir, () => createEmpty(path));
  const lock = take(dataDir, path);
  held.add(lock);
  // Who held it before and could not take that back is gone.
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
  // The upper bytes tell more of a number than is asked here.
  const code = Number(error.errcode) & 0xff;
  if (code === BUSY) {
    const holder = holderOf(dataDir);
    const who = holder
      ? `another gateway (process ${holder.pid}, ${holder.url})`
      : 'another gateway, or a command of one';
    return new StartError(
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

/** A new file is closed here before anybody can hold a lock of it. */
function createEmpty(path: string): void {
  try {
    fs.writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
