import fs from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../kernel/process/start-error.ts';

/** The permission bits that a directory and a file may have: the owner's. */
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const ALL_BITS = 0o7777;

/**
 * Makes a directory and all in it private to this process's user, but links; on Windows, which has no modes, nothing.
 * @throws StartError if something belongs to another user, or the file system keeps no modes
 */
export function makePrivate(dataDir: string): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  const root = fs.realpathSync(dataDir);
  close(root);
  if ((fs.statSync(root).mode & ~DIRECTORY_MODE & ALL_BITS) !== 0) {
    throw new StartError(
      `The data directory ${dataDir} lies on a file system that keeps no modes, so that other users could read it; set DATA_DIR to another directory.`,
    );
  }

  // Top down: once a directory is private, nobody can replace what is in it by a link.
  function close(path: string): void {
    const found = fs.lstatSync(path, { throwIfNoEntry: false });
    // Another process of this user may have deleted it since it was listed.
    if (!found || found.isSymbolicLink()) return;
    if (found.uid !== user) throw foreign(path, found.uid);
    const left = found.mode & (found.isDirectory() ? DIRECTORY_MODE : FILE_MODE);
    if ((found.mode & ALL_BITS) !== left) fs.chmodSync(path, left);
    if (found.isDirectory()) for (const name of fs.readdirSync(path)) close(join(path, name));
  }

  function foreign(path: string, owner: number): StartError {
    const what = path === root ? 'belongs' : `holds ${path}, which belongs`;
    return new StartError(
      `The data directory ${dataDir} ${what} to another user (${owner}, and this one is ${user}); give all of it to the user that runs the gateway, or set DATA_DIR to another directory, such as a new one below it.`,
    );
  }
}
