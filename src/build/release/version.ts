/** The version of a release. `package.json` is its home; the client package, the lock and what deploys it follow. */
import { readFileSync, writeFileSync } from 'node:fs';
import { ReleaseRefusal } from './refusal.ts';

const OWN = 'package.json';
const CLIENT = 'src/client/package.json';
const LOCK = 'package-lock.json';

/** Texts that name the version, and no other package's. */
const TEXTS = ['deploy/kubernetes/kustomization.yaml', 'docs/deploying.md'];

/** The files that have the version. */
export const VERSIONED = [OWN, CLIENT, LOCK, ...TEXTS] as const;

/** A version as three numbers. @throws ReleaseRefusal where it is none */
function numbersOf(version: string): number[] {
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(version))
    throw new ReleaseRefusal(`${version} is no version: give three numbers, such as 0.2.0.`);
  return version.split('.').map(Number);
}

function isBelow(version: string, other: string): boolean {
  const numbers = numbersOf(version);
  const others = numbersOf(other);
  const at = numbers.findIndex((number, index) => number !== others[index]);
  return at !== -1 && Number(numbers[at]) < Number(others[at]);
}

/** Makes sure that a version may follow. @param tags those of the repository @throws ReleaseRefusal */
export function checkVersion(version: string, tags: readonly string[]): void {
  const { version: own } = JSON.parse(readFileSync(OWN, 'utf8'));
  if (isBelow(version, own)) throw new ReleaseRefusal(`${version} is below ${own}, the version in package.json.`);
  const released = tags.filter(tag => /^v\d+\.\d+\.\d+$/.test(tag)).map(tag => tag.slice(1));
  if (released.includes(version))
    throw new ReleaseRefusal(`${version} is released already: there is the tag v${version}.`);
  const newer = released.find(other => isBelow(version, other));
  if (newer !== undefined) throw new ReleaseRefusal(`${version} is below ${newer}, which is released already.`);
}

/** Writes the version into each file that has it. */
export function writeVersion(version: string): void {
  const { version: former } = JSON.parse(readFileSync(OWN, 'utf8'));
  const named = new RegExp(`(?<![\\d.])${former.replaceAll('.', '\\.')}(?![\\d.])`, 'g');
  for (const file of TEXTS) writeFileSync(file, readFileSync(file, 'utf8').replace(named, version));
  for (const file of [OWN, CLIENT, LOCK]) {
    const content = JSON.parse(readFileSync(file, 'utf8'));
    const places = file === LOCK ? [content, content.packages[''], content.packages['src/client']] : [content];
    for (const place of places) place.version = version;
    writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  }
}
