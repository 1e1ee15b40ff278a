/** JSON files with credentials in the data directory: mode 0600, replaced atomically. */
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirFault } from './data-dir.ts';

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
  const temporary = join(dataDir, `${name}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { flag: 'wx', mode: 0o600, flush: true });
    renameSync(temporary, join(dataDir, name));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw dataDirFault(dataDir, error);
  }
}
