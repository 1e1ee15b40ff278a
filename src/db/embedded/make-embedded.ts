/** The first start of the embedded database: its folder is there whole, or not at all. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { StartError } from '../../kernel/process/start-error.ts';
import { DEMO_FILE } from '../data-dir/data-dir.ts';
import { syncAbove, syncTree } from './sync-files.ts';

/** Every PostgreSQL has it. PGlite takes a folder without it for a new one, and writes a new database over what is there. */
const VERSION_FILE = 'PG_VERSION';

/** Where a database is made, beside the folder that it gets; what an interrupted start left there is nobody's. */
const UNFINISHED = '.unfinished';

/**
 * Makes a database in a folder of the data directory that is absent or empty. The data directory must be locked.
 * @throws StartError where there is something in the folder that is no whole database: it is never written over; and where the data
 * directory shows that there was a database, which may only not be mounted
 */
export async function makeEmbedded(directory: string): Promise<void> {
  const names = fs.existsSync(directory) ? fs.readdirSync(directory) : [];
  if (names.includes(VERSION_FILE)) return;
  if (names.length > 0) {
    throw new StartError(
      `The folder ${directory} is not empty, but has no ${VERSION_FILE}, so a part of the embedded database in it is lost; put a backup in its place, or move it away to start with an empty database.`,
    );
  }
  const dataDir = dirname(directory);
  // It is written once its database is whole, so an interrupted first start leaves none.
  if (fs.existsSync(join(dataDir, DEMO_FILE))) {
    throw new StartError(
      `The data directory ${dataDir} has ${DEMO_FILE}, but no database; put the database back, set DATA_DIR to another directory, or move ${DEMO_FILE} away to start with an empty database.`,
    );
  }
  const unfinished = `${directory}${UNFINISHED}`;
  fs.rmSync(unfinished, { recursive: true, force: true });
  await (await PGlite.create({ dataDir: unfinished })).close();
  // Made without syncs: its name must not be on the disk before its files are.
  syncTree(unfinished);
  // Windows renames to no folder that is there, however empty.
  if (fs.existsSync(directory)) fs.rmdirSync(directory);
  fs.renameSync(unfinished, directory);
  syncAbove(directory);
}
