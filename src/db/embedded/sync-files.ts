/** Makes what was written survive the loss of power: a file's bytes by syncing the file, its name by syncing its folder. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';

/** Syncs a folder: the names in it. Windows neither opens folders nor needs it. @throws where it cannot be read */
export function syncFolder(folder: string): void {
  if (process.platform !== 'win32') syncOpened(folder, 'r');
}

/** Syncs a folder with everything in it, however deep. @throws where something of it cannot be opened, or the disk fails */
export function syncTree(folder: string): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) syncTree(path);
    // Windows syncs only what is open for writing.
    else if (entry.isFile()) syncOpened(path, 'r+');
  }
  syncFolder(folder);
}

/** Syncs the folders that a path stands in, up to the root: any of them may be new. What is not ours to read was not made by us. */
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
