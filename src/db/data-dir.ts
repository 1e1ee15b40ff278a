/**
 * The directory `DATA_DIR`: who owns it, the secrets that are generated into it, and where the command line finds the
 * gateway that runs. The embedded database does not lock its files (two processes can open and spoil them), so we do.
 */
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { StartError } from '../kernel/start-error.ts';

/** The right to use the data directory, held by this process until it ends or gives it back. */
export interface DataDirLock {
  /** Gives the directory back; safe to repeat, also while the process exits. */
  release(): void;
  /** Writes the address at which the gateway now listens, for the message that a second gateway shows. */
  updateUrl(url: string): void;
}

/** A gateway that runs. */
export interface RunningGateway {
  readonly pid: number;
  readonly url: string;
}

/** What lock and announcement files hold. `startedAt` and `id` tell a process and a lock from a later one that looks alike. */
const HOLDER = z.object({
  pid: z.int32().positive(),
  /** Start of the process in clock ticks since boot (Linux); null where that is not known. */
  startedAt: z.int().nullable(),
  url: z.string(),
  id: z.string().regex(/^[0-9a-f]{16}$/),
});
type Holder = z.output<typeof HOLDER>;

const LOCK_FILE = 'gateway.lock';
const GATEWAY_FILE = 'gateway.json';
/** How long another process may take to replace a stale lock; it needs well under a millisecond. */
const TAKEOVER_MS_MAX = 5000;
/** How long a file that cannot be read may still be being written, where the file system has no hard links. */
const UNREADABLE_MS_MAX = 250;
const RETRY_MS = 5;

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
 * Makes the directory (and those above it) for this user alone, and checks that it can be written.
 *
 * @throws StartError when it is not a directory, may not be written, or the disk is full
 */
export function prepareDataDir(dataDir: string): void {
  explained(dataDir, () => {
    fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    fs.accessSync(dataDir, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
  });
}

/**
 * The secret in the file `name` of the directory; the first caller makes it with `make` (one line of text, mode 0600).
 * Callers at the same time, in other processes too, get the same one.
 *
 * @throws StartError when the file cannot be read or written, or is empty: a lost key must never be replaced unnoticed
 */
export function readOrCreateSecret(dataDir: string, name: string, make: () => string): string {
  const path = join(dataDir, name);
  return explained(dataDir, () => {
    if (!fs.existsSync(path) && createWhole(path, `${make()}\n`)) syncDir(dataDir);
    const secret = fs.readFileSync(path, 'utf8').trim();
    if (secret === '') {
      throw new StartError(`The file ${path} is empty; put the secret back, or delete it to have a new one made.`);
    }
    // A restored backup may have lost its mode. On Windows modes say nothing.
    if (process.platform !== 'win32' && (fs.statSync(path).mode & 0o077) !== 0) fs.chmodSync(path, 0o600);
    return secret;
  });
}

/**
 * Takes the directory for this process. The lock of a process that is gone is replaced; of processes that try at the
 * same time exactly one wins.
 *
 * @param at the address at which the gateway is going to listen
 * @throws StartError that names the process, when another one holds it
 */
export async function lockDataDir(dataDir: string, at: { readonly url: string }): Promise<DataDirLock> {
  const path = join(dataDir, LOCK_FILE);
  const mine = newHolder(at.url);
  const other = await acquire(path, mine).catch((error: unknown) => {
    throw dataDirFault(dataDir, error);
  });
  if (other !== null) {
    throw new StartError(
      `The data directory ${dataDir} is in use by another gateway (process ${other.pid}, ${other.url}). Stop it first, or set DATA_DIR to another directory.`,
    );
  }
  return {
    release: () => removeOwn(path, mine.id),
    updateUrl: url => {
      if (readHolder(path)?.id === mine.id) explained(dataDir, () => replaceWhole(path, { ...mine, url }));
    },
  };
}

/**
 * Tells the command line where this process listens. The last one to announce itself is found.
 *
 * @returns takes the announcement back, unless another process has announced itself since
 * @throws StartError when the file cannot be written
 */
export function announceGateway(dataDir: string, at: { readonly url: string }): () => void {
  const path = join(dataDir, GATEWAY_FILE);
  const mine = newHolder(at.url);
  explained(dataDir, () => replaceWhole(path, mine));
  return () => removeOwn(path, mine.id);
}

/**
 * The gateway that announced itself in the directory and still runs, or null.
 *
 * @throws StartError when there is an announcement that this user may not read
 */
export function findGateway(dataDir: string): RunningGateway | null {
  const found = explained(dataDir, () => readHolder(join(dataDir, GATEWAY_FILE)));
  return found !== null && isRunning(found) ? { pid: found.pid, url: found.url } : null;
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

function explained<T>(dataDir: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw dataDirFault(dataDir, error);
  }
}

/** The system's name of a failed call. Node's own errors have codes too, but no `syscall`. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined;
}

/**
 * Makes the file hold `mine`; null when it does, else the living process that holds it.
 *
 * A stale file may be replaced only by who holds its guard, a file named after the stale one's id and taken by this same
 * function, and only while it is still that stale file. Ids never come again, so a process that judged an old file
 * cannot replace a newer one. A guard whose holder died is stale itself and is replaced in the same way.
 */
async function acquire(path: string, mine: Holder): Promise<Holder | null> {
  const startedMs = performance.now();
  for (;;) {
    const found = readHolder(path);
    if (found === null && createWhole(path, JSON.stringify(mine))) return null;
    if (found === null) continue;
    if (isRunning(found)) return found;
    const waitedMs = performance.now() - startedMs;
    const guard = `${path}.${found.id}`;
    const beingWritten = found.pid === 0 && waitedMs < UNREADABLE_MS_MAX;
    const replacing = beingWritten ? found : await acquire(guard, mine);
    if (replacing !== null) {
      if (waitedMs > TAKEOVER_MS_MAX) return replacing;
      await delay(RETRY_MS);
      continue;
    }
    try {
      if (readHolder(path)?.id !== found.id) continue;
      replaceWhole(path, mine);
      return null;
    } finally {
      removeOwn(guard, mine.id);
    }
  }
}

function newHolder(url: string): Holder {
  const startedAt = readProcess(process.pid)?.startedAt ?? null;
  return { pid: process.pid, startedAt, url, id: randomBytes(8).toString('hex') };
}

/** Whether the process that wrote the file still runs, rather than none or another one with its number. */
function isRunning(holder: Holder): boolean {
  if (holder.pid === 0) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it runs and belongs to another user.
    if (codeOf(error) === 'ESRCH') return false;
  }
  const found = readProcess(holder.pid);
  if (found === null) return true;
  return !found.ended && (holder.startedAt === null || holder.startedAt === found.startedAt);
}

/**
 * Start and state of a process on Linux; null elsewhere and where /proc is hidden. Fields 3 and 22 of proc(5)'s stat;
 * the second field is a name that may itself hold blanks and brackets.
 */
function readProcess(pid: number): { startedAt: number; ended: boolean } | null {
  if (process.platform !== 'linux') return null;
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const startedAt = Number(fields[19]);
    // A zombie has ended and only waits for its parent: it holds no file.
    return Number.isSafeInteger(startedAt) ? { startedAt, ended: fields[0] === 'Z' || fields[0] === 'X' } : null;
  } catch {
    return null;
  }
}

/** What the file holds, or null when there is none. Other content gets process 0, which never runs, and an id of its own. */
function readHolder(path: string): Holder | null {
  let text: string;
  try {
    text = fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    return HOLDER.parse(JSON.parse(text));
  } catch {
    return { pid: 0, startedAt: null, url: '', id: createHash('sha256').update(text).digest('hex').slice(0, 16) };
  }
}

function removeOwn(path: string, id: string): void {
  if (readHolder(path)?.id === id) fs.rmSync(path, { force: true });
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

function replaceWhole(path: string, holder: Holder): void {
  fs.renameSync(writeTemporary(path, JSON.stringify(holder)), path);
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

/** Makes a new name survive a power failure. Windows cannot open a directory. */
function syncDir(dir: string): void {
  if (process.platform === 'win32') return;
  const handle = fs.openSync(dir, 'r');
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}
