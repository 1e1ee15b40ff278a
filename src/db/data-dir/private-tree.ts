/** Whose files these are, and who may read them: nobody but the user that runs the gateway. */
import fs from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../kernel/process/start-error.ts';

/** What is left of the mode of a directory and of a file: its owner's part. */
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const ALL_BITS = 0o7777;

/**
 * Closes a directory, and everything in it, to all users but its owner, who must be the user of this process. What symbolic links
 * point to is left alone. A look at each file and nothing more where all is closed already. On Windows modes say nothing.
 *
 * @throws StartError where something belongs to somebody else, or the file system keeps no modes
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

  // From the top: once a directory is closed nobody else can put a link in the place of what is in it.
  function close(path: string): void {
    const found = fs.lstatSync(path, { throwIfNoEntry: false });
    // A file may have gone since it was listed: another process of this user may be at work.
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
