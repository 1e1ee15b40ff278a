/** The files of a release: packed gateway and client, bill of materials, image, checksums. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pack } from '../pack.ts';
import { run } from './run.ts';

/** Below the project; git ignores it. */
export const RELEASE_FOLDER = 'release';
const SUMS = 'SHA256SUMS';
const IMAGE_BUILD = 'deploy/image/build';

/** Fills the folder of the release, which holds nothing else then. Answers the names of its files. @throws ReleaseRefusal */
export function makeFiles(version: string): string[] {
  rmSync(RELEASE_FOLDER, { recursive: true, force: true });
  mkdirSync(RELEASE_FOLDER);
  run('npm', 'run', '-s', 'build');
  pack(RELEASE_FOLDER);
  run('npm', 'pack', '--silent', '-w', '@heliograph/client', '--pack-destination', RELEASE_FOLDER);
  writeFileSync(join(RELEASE_FOLDER, `heliograph-${version}.cdx.json`), billOfMaterials());
  if (existsSync(IMAGE_BUILD)) run(IMAGE_BUILD, '--out', RELEASE_FOLDER);
  const names = readdirSync(RELEASE_FOLDER, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(RELEASE_FOLDER.length + 1))
    .sort();
  writeFileSync(join(RELEASE_FOLDER, SUMS), names.map(name => `${digestOf(name)}  ${name}\n`).join(''));
  return [...names, SUMS];
}

/** Every package of the lock as CycloneDX, the same text each time: bundle and pages hold packages of development too. */
function billOfMaterials(): string {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const { serialNumber: _random, ...bill } = JSON.parse(
    execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 2 ** 27 }),
  );
  delete bill.metadata.timestamp;
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function digestOf(name: string): string {
  return createHash('sha256')
    .update(readFileSync(join(RELEASE_FOLDER, name)))
    .digest('hex');
}
