/** A database as one file: `npm run build` makes one that is migrated, since PGlite takes seconds to make one from nothing. */
import fs from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { findBuilt } from '../../kernel/process/built.js';

/** The file's name in the folder of the build. */
export const TEMPLATE_FILE = 'database.zst';

/** The template of the build, if there is one of these sources. */
export function templateOf(): URL | null {
  const built = findBuilt();
  return built && new URL(TEMPLATE_FILE, built);
}

/** Each folder before what is in it. `bytes` null: a folder. */
type Packed = readonly { readonly name: string; readonly bytes: Uint8Array | null }[];

/** Packs the folder of a database that is closed. */
export function packEmbedded(directory: string): Uint8Array {
  const packed: Packed = fs
    .readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .sort()
    .map(name => {
      const path = join(directory, name);
      return { name, bytes: fs.statSync(path).isDirectory() ? null : fs.readFileSync(path) };
    });
  return zstdCompressSync(serialize(packed));
}

/** Writes a packed database to a new folder, private to this user, and syncs nothing. @throws if the file is damaged, or the disk fails */
export function unpackEmbedded(template: URL, directory: string): void {
  const packed: Packed = deserialize(zstdDecompressSync(fs.readFileSync(template)));
  fs.mkdirSync(directory, { mode: 0o700 });
  for (const { name, bytes } of packed) {
    const path = join(directory, name);
    if (bytes === null) fs.mkdirSync(path, { mode: 0o700 });
    else fs.writeFileSync(path, bytes, { flag: 'wx', mode: 0o600 });
  }
}
