/** The embedded database: PGlite, in this process, with its files in the data directory. */
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { StartError } from '../kernel/start-error.ts';
import { dataDirFault } from './data-dir.ts';

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
      `The embedded database in ${directory} could not be opened. Is the disk full, or a file damaged? Restore it, or set DATA_DIR to another directory.`,
      error,
    );
  }
}
