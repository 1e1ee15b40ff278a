/** The embedded database: PGlite, in this process, with its files in the data directory. */
import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { StartError } from '../../kernel/process/start-error.ts';
import { dataDirFault } from '../data-dir/data-dir.ts';
import { EmbeddedFiles } from './embedded-files.ts';
import { makeEmbedded } from './make-embedded.ts';
import { syncAbove, syncTree } from './sync-files.ts';

/** Whether a commit waits until it is on the disk (`full`), or only until it is with the operating system (`relaxed`). */
export type Durability = 'full' | 'relaxed';

/** Without `-F`, which switches syncs off. PGlite's `fdatasync` does nothing, so the log is synced by `fsync`. */
const FULL_PARAMETERS = [...PGlite.defaultStartParams.filter(one => one !== '-F'), '-c', 'wal_sync_method=fsync'];

/** PostgreSQL's default. */
const WAL_SEGMENT_BYTES = 16 * 1024 * 1024;

/**
 * Opens the embedded database, or makes it where there is none. The data directory must be locked: PGlite itself lets two
 * processes write into one folder. After a crash it recovers by itself. Where its disk fails in a way that it cannot answer for,
 * the process ends with status 1 and a sentence, as PostgreSQL's own would.
 * @throws StartError where its files cannot be read or written, or some of them are lost.
 */
export async function openEmbedded(dataDir: string, durability: Durability): Promise<PGlite> {
  const directory = join(dataDir, 'database');
  try {
    await makeEmbedded(directory);
    const files = new EmbeddedFiles(directory);
    const pglite = await PGlite.create({
      fs: files,
      startParams: durability === 'full' ? FULL_PARAMETERS : PGlite.defaultStartParams,
    });
    files.onBroken = () => endProcess(directory, files.diskFault);
    // A new database is written without syncs, and so may what an earlier process left have been.
    if (durability === 'full') {
      syncTree(directory);
      syncAbove(directory);
    }
    return pglite;
  } catch (error) {
    const fault = dataDirFault(dataDir, error);
    if (fault instanceof StartError) throw fault;
    throw new StartError(
      isDiskFull(dataDir)
        ? `The embedded database in ${directory} could not be opened because its disk is full; make room, or set DATA_DIR to another directory.`
        : `The embedded database in ${directory} could not be opened, a file of it may be damaged; restore it, or set DATA_DIR to another directory.`,
      error,
    );
  }
}

function endProcess(directory: string, diskFault: string | null): never {
  const reason = diskFault === null ? '' : `: its disk answered ${diskFault}`;
  process.stderr.write(
    `The embedded database in ${directory} has given up${reason}. The gateway ends; the next start recovers what was accepted.\n`,
  );
  process.exit(1);
}

/** Whether there is no room for a segment of the write-ahead log. PGlite's own failure does not say why a file could not grow. */
function isDiskFull(directory: string): boolean {
  return roomOf(directory) < WAL_SEGMENT_BYTES;
}

/** Bytes. A disk that cannot be asked has room: what fails then says why. */
function roomOf(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** What must be free on the disk of an embedded database: the next segment of its log, and one for what is under way. */
const RESERVE_BYTES = 2 * WAL_SEGMENT_BYTES;

/** How long a look at the disk holds. */
const LOOK_MS = 250;

/**
 * Answers whether the disk of an embedded database has room. PGlite survives a table that cannot grow, and does not survive a log that
 * cannot: it spins for ever, and the process with it. So nothing is let in before it comes to that.
 */
export function watchRoom(dataDir: string): () => boolean {
  let known = { hasRoom: true, untilMs: 0 };
  return () => {
    const now = performance.now();
    if (known.untilMs < now) known = { hasRoom: roomOf(dataDir) >= RESERVE_BYTES, untilMs: now + LOOK_MS };
    return known.hasRoom;
  };
}
