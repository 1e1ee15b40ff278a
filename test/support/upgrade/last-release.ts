/** The release before this tree, as its packed file brings it. */
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '../repository.ts';

const run = promisify(execFile);

/** Stands for the last release until there is one, and goes then: four migrations came after this commit. */
const BEFORE_ANY_RELEASE = '9c3ecb620abd22f455851b791dfe044d53405d0b';

const git = async (...args: string[]) => (await run('git', args, { cwd: REPOSITORY })).stdout.trim();

/** A commit that upgrades begin at. */
export interface LastRelease {
  /** Its tag, or the start of its id. */
  readonly name: string;
  readonly commit: string;
}

/** The newest release before this commit, by its tag; null where the clone lacks it. */
export async function findLastRelease(): Promise<LastRelease | null> {
  const commitOf = (revision: string) =>
    git('rev-parse', '--quiet', '--verify', `${revision}^{commit}`).catch(() => null);
  const tag = await git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^').catch(() => null);
  const { version } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'));
  if (tag === null && version !== '0.1.0') return null;
  const commit = await commitOf(tag ?? BEFORE_ANY_RELEASE);
  return commit === null ? null : { name: tag ?? BEFORE_ANY_RELEASE.slice(0, 8), commit };
}

/** Makes the packed file of a release, and answers the folder that it is installed in. A folder made before is taken again. */
export async function installRelease({ commit }: LastRelease): Promise<string> {
  const lock = await readFile(join(REPOSITORY, 'package-lock.json'), 'utf8');
  // Its packages are those of this clone, and another clone may be gone by now.
  const packages = hash('sha256', REPOSITORY + lock).slice(0, 8);
  const kept = join(tmpdir(), `heliograph-release-${commit}-${packages}`);
  const installed = join(kept, 'heliograph');
  if (existsSync(kept)) return installed;
  const work = await mkdtemp(`${kept}-`);
  const source = join(work, 'source');
  await mkdir(source);
  const archive = join(work, 'source.tar');
  await git('archive', '--output', archive, commit);
  await run('tar', ['-xf', archive, '-C', source]);
  // The packages are those of this tree: an installation of its own would take minutes.
  await symlink(join(REPOSITORY, 'node_modules'), join(source, 'node_modules'));
  // The pages are left out, as they ask the gateway and no database.
  await run(process.execPath, ['src/build/build-server.ts'], { cwd: source });
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', work];
  const packed = (await run('npm', args, { cwd: source })).stdout.trim();
  const made = join(work, 'made');
  await mkdir(join(made, 'heliograph'), { recursive: true });
  await mkdir(join(made, 'node_modules'));
  await run('tar', ['-xzf', join(work, packed), '-C', join(made, 'heliograph'), '--strip-components=1']);
  await symlink(join(REPOSITORY, 'node_modules/@electric-sql'), join(made, 'node_modules/@electric-sql'));
  // Another run may have been first.
  await rename(made, kept).catch(() => undefined);
  await rm(work, { recursive: true });
  return installed;
}
