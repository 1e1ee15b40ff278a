/** Opens the embedded database: PGlite, in this process, with its files in the data directory. */
import fs from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { StartError } from '../../kernel/process/start-error.ts';
import { DEMO_FILE, dataDirFault } from '../data-dir/data-dir.ts';
import { EmbeddedFiles } from './embedded-files.ts';
import { makeEmbedded } from './make-embedded.ts';
import { syncTree } from './sync-files.ts';

/** `full`: a commit waits for the disk. `relaxed`: it waits for the operating system only. */
type Durability = 'full' | 'relaxed';

/** Without `-F`, which turns fsync off. PGlite's `fdatasync` does nothing, so WAL is synced by `fsync`. */
const FULL_PARAMETERS = [...PGlite.defaultStartParams.filter(one => one !== '-F'), '-c', 'wal_sync_method=fsync'];

/** Half of the default, which PGlite fills with zeros at each start. */
const MEMORY_PARAMETERS = ['-c', 'shared_buffers=64MB'];

/** The folder of the database in the data directory. */
export const DATABASE_FOLDER = 'database';

/** Tells that a process ran `relaxed`, so that files may not be on the disk. Lost with the power, as they are. */
const RELAXED_FILE = 'database.relaxed';

/** PostgreSQL's default. */
const WAL_SEGMENT_BYTES = 16 * 1024 * 1024;

/** Whether a data directory has a database, or had one; else opening makes one. */
export function hasEmbedded(dataDir: string): boolean {
  return [DATABASE_FOLDER, DEMO_FILE].some(name => fs.existsSync(join(dataDir, name)));
}

/**
 * Opens or creates the database of a locked data directory, a new one from the template: PGlite lets two processes write into one folder. If the disk fails beyond
 * recovery, the process exits with status 1, as a server would. @throws StartError if files are missing or unusable
 */
export async function openEmbedded(
  dataDir: string,
  durability: Durability,
  templateOf: () => URL | null = () => null,
): Promise<PGlite> {
  const directory = join(dataDir, DATABASE_FOLDER);
  try {
    await makeEmbedded(directory, templateOf);
    if (durability === 'relaxed') fs.writeFileSync(join(dataDir, RELAXED_FILE), '');
    const files = new EmbeddedFiles(directory);
    const pglite = await PGlite.create({
      fs: files,
      startParams: [...(durability === 'full' ? FULL_PARAMETERS : PGlite.defaultStartParams), ...MEMORY_PARAMETERS],
    });
    files.onBroken = () => endProcess(directory, files.diskFault);
    if (durability === 'full' && fs.existsSync(join(dataDir, RELAXED_FILE))) {
      syncTree(directory);
      fs.rmSync(join(dataDir, RELAXED_FILE));
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

/** Whether there is no room for a WAL segment. PGlite's error does not say why a file could not grow. */
function isDiskFull(directory: string): boolean {
  return roomOf(directory) < WAL_SEGMENT_BYTES;
}

/** Free bytes. If the disk cannot be asked, there is room: the next failure will tell the reason. */
function roomOf(directory: string): number {
  try {
    const { bavail, bsize } = fs.statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** The disk must have room for the next WAL segment, and for one in progress. */
const RESERVE_BYTES = 2 * WAL_SEGMENT_BYTES;

/** How long a reading of the free space is used. */
const LOOK_MS = 250;

/** Tells whether the disk has room. Requests are refused before it is full: PGlite spins for ever when its WAL cannot grow. */
export function watchRoom(dataDir: string): () => boolean {
  let known = { hasRoom: true, untilMs: 0 };
  return () => {
    const now = performance.now();
    if (known.untilMs < now) known = { hasRoom: roomOf(dataDir) >= RESERVE_BYTES, untilMs: now + LOOK_MS };
    return known.hasRoom;
  };
}
