/** The build of the server by `npm run build`, and whether it was made of these sources. Plain JavaScript: below `node_modules` Node strips no types. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url));

/** Below the package. The file with the digest is written last, so a build that was broken off is none. */
const FOLDER = 'dist/server';
const DIGEST_FILE = 'sources.sha256';
const LOCK = 'package-lock.json';
/** Pages and the client package are built apart. */
const OTHERS = ['src/dashboard/', 'src/client/'];
const SOURCE = 'src/main.ts';

/**
 * The folder of a build, made of exactly the sources that are there, or null: then they run themselves, which only takes longer.
 * A packed release and an image bring a build without sources.
 * @param {string} directory
 */
export function findBuilt(directory = PACKAGE) {
  const folder = join(directory, FOLDER);
  const digestFile = join(folder, DIGEST_FILE);
  if (!fs.existsSync(digestFile)) return null;
  const hasSources = fs.existsSync(join(directory, SOURCE));
  const isOfSources = !hasSources || fs.readFileSync(digestFile, 'utf8') === digestOf(directory);
  return isOfSources ? pathToFileURL(`${folder}/`) : null;
}

/**
 * Has `make` fill the folder of the build, which holds nothing else.
 * @param {(folder: string) => Promise<void>} make
 * @param {string} directory
 */
export async function makeBuilt(make, directory = PACKAGE) {
  const folder = join(directory, FOLDER);
  // Read first: what is changed meanwhile may not be in the build.
  const digest = digestOf(directory);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  await make(folder);
  fs.writeFileSync(join(folder, DIGEST_FILE), digest);
}

/**
 * Of the text of everything else that a build depends on.
 * @param {string} directory
 */
function digestOf(directory) {
  const sources = fs
    .readdirSync(join(directory, 'src'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !OTHERS.some(folder => path.startsWith(join(directory, folder))));
  const others = ['mikro-orm.config.ts', 'package.json', LOCK]
    .map(name => join(directory, name))
    .filter(path => fs.existsSync(path));
  const digest = createHash('sha256');
  for (const path of [...sources.sort(), ...others]) {
    const text = fs.readFileSync(path);
    digest.update(`${path.slice(directory.length)}\n${text.length}\n`).update(text);
  }
  return digest.digest('hex');
}
