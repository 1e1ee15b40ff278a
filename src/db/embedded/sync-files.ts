/** Makes written files survive a power failure: fsync of the file for its bytes, of its folder for its name. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';

/** Syncs a folder: the names in it. Not needed on Windows. @throws if it cannot be read */
export function syncFolder(folder: string): void {
  if (process.platform !== 'win32') syncOpened(folder, 'r');
}

/** Syncs a folder and everything in it. @throws if a file cannot be opened, or the disk fails */
export function syncTree(folder: string): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) syncTree(path);
    // Windows syncs only files opened for writing.
    else if (entry.isFile()) syncOpened(path, 'r+');
  }
  syncFolder(folder);
}

/** Syncs the parent folders up to the root, since any may be new. One that is not readable was not created here. */
export function syncAbove(path: string): void {
  const folder = dirname(path);
  if (folder === path) return;
  try {
    syncFolder(folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error;
    return;
  }
  syncAbove(folder);
}

function syncOpened(path: string, flags: 'r' | 'r+'): void {
  const handle = fs.openSync(path, flags);
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}
