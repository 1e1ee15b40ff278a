/** The embedded database: PGlite, in this process, with its files in the data directory. */
import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { StartError } from '../kernel/start-error.ts';
import { dataDirFault } from './data-dir.ts';

/** PostgreSQL's default. */
const WAL_SEGMENT_BYTES = 16 * 1024 * 1024;

/**
 * Opens the embedded database, or makes it where there is none. The data directory must be locked: PGlite itself lets two
 * processes write into one folder. After a crash it recovers by itself.
 * @throws StartError where its files cannot be read or written.
 */
export async function openEmbedded(dataDir: string): Promise<PGlite> {
  const directory = join(dataDir, 'database');
  try {
    return await PGlite.create({ dataDir: directory });
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

/** Whether there is no room for a segment of the write-ahead log. PGlite's own failure does not say why a file could not grow. */
function isDiskFull(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < WAL_SEGMENT_BYTES;
  } catch {
    return false;
  }
}
