/** Creates the embedded database atomically: its folder is complete or missing. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { StartError } from '../../kernel/process/start-error.ts';
import { DEMO_FILE } from '../data-dir/data-dir.ts';
import { unpackEmbedded } from './embedded-template.ts';
import { syncAbove, syncTree } from './sync-files.ts';

/** PGlite takes a folder without this file for a new one, and overwrites what is there. */
const VERSION_FILE = 'PG_VERSION';

/** A database is created beside its final folder under this suffix, and an interrupted start may leave it. */
const UNFINISHED = '.unfinished';

/**
 * Creates a database in a missing or empty folder of the locked data directory, from a template if there is one. @throws StartError if the folder holds anything but a
 * complete database, which is never overwritten, or if there was one before, which may only be unmounted
 */
export async function makeEmbedded(directory: string, templateOf: () => URL | null): Promise<void> {
  const names = fs.existsSync(directory) ? fs.readdirSync(directory) : [];
  if (names.includes(VERSION_FILE)) return;
  if (names.length > 0) {
    throw new StartError(
      `The folder ${directory} is not empty, but has no ${VERSION_FILE}, so a part of the embedded database in it is lost; put a backup in its place, or move it away to start with an empty database.`,
    );
  }
  const dataDir = dirname(directory);
  // This file is written after the database, so an interrupted first start leaves none.
  if (fs.existsSync(join(dataDir, DEMO_FILE))) {
    throw new StartError(
      `The data directory ${dataDir} has ${DEMO_FILE}, but no database; put the database back, set DATA_DIR to another directory, or move ${DEMO_FILE} away to start with an empty database.`,
    );
  }
  const unfinished = `${directory}${UNFINISHED}`;
  fs.rmSync(unfinished, { recursive: true, force: true });
  const template = templateOf();
  // An image has a build without it.
  if (template !== null && fs.existsSync(template)) unpackEmbedded(template, unfinished);
  else await (await PGlite.create({ dataDir: unfinished })).close();
  // Its files were made without syncs: they must be on the disk before its name.
  syncTree(unfinished);
  // Windows cannot rename to an existing folder, even if empty.
  if (fs.existsSync(directory)) fs.rmdirSync(directory);
  fs.renameSync(unfinished, directory);
  syncAbove(directory);
}
