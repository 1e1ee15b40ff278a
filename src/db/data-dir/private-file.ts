/** JSON files with credentials in the data directory: mode 0600, replaced atomically. */
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { explained, writeTemporary } from './data-dir.ts';

/** The content of a file, or null if it is missing or no JSON. */
export function readPrivateJson(dataDir: string, name: string): unknown {
  try {
    return JSON.parse(readFileSync(join(dataDir, name), 'utf8'));
  } catch {
    return null;
  }
}

/** Writes a file, readable by this user only. @throws StartError if the directory cannot be written */
export function writePrivateJson(dataDir: string, name: string, content: object): void {
  const path = join(dataDir, name);
  explained(dataDir, () => renameSync(writeTemporary(path, `${JSON.stringify(content, null, 2)}\n`), path));
}
