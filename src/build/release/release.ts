/** `npm run release`: checks, files and tag of a release (docs/releasing.md). */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { releaseChangelog } from './changelog.ts';
import { makeFiles, RELEASE_FOLDER } from './files.ts';
import { ReleaseRefusal } from './refusal.ts';
import { git, run } from './run.ts';
import { checkVersion, VERSIONED, writeVersion } from './version.ts';

const USAGE = 'Say which version: npm run release -- 0.2.0 [--dry-run] [--ci]';
const CHANGELOG = 'CHANGELOG.md';
const WRITTEN = [CHANGELOG, ...VERSIONED];

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function readCommand(args: readonly string[]) {
  const options = { 'dry-run': { type: 'boolean', default: false }, ci: { type: 'boolean', default: false } } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [version, more] = positionals;
    if (version === undefined || more !== undefined) throw new ReleaseRefusal(USAGE);
    return { version, isDryRun: values['dry-run'], runsCi: values.ci };
  } catch (error) {
    if (error instanceof ReleaseRefusal) throw error;
    throw new ReleaseRefusal(`${error instanceof Error ? error.message : error}\n${USAGE}`);
  }
}

/** Makes sure that what is committed on main is what is released. @throws ReleaseRefusal */
function checkTree(): void {
  const branch = git('rev-parse', '--abbrev-ref', 'HEAD');
  if (branch !== 'main')
    throw new ReleaseRefusal(`Releases are made on main, and this is ${branch}: run git switch main.`);
  const changed = git('status', '--porcelain');
  if (changed !== '') throw new ReleaseRefusal(`The tree is not clean. Commit or remove first:\n${changed}`);
}

/** Runs what must hold: all of it, or what takes a minute. @throws ReleaseRefusal */
function checkCode(runsCi: boolean): void {
  if (runsCi) {
    run('.ci/run');
    return;
  }
  for (const script of ['lint', 'typecheck', 'schema:check']) run('npm', 'run', '-s', script);
  say('The tests were not run: .ci/run must have passed on this commit. With --ci it is run first.');
}

function release(args: readonly string[]): void {
  const { version, isDryRun, runsCi } = readCommand(args);
  checkTree();
  checkVersion(version, git('tag', '--list').split('\n'));
  // biome-ignore lint/plugin: a release is dated by the machine that makes it
  const day = new Date().toISOString().slice(0, 10);
  const changelog = releaseChangelog(readFileSync(CHANGELOG, 'utf8'), version, day);
  checkCode(runsCi);
  const before = git('rev-parse', 'HEAD');
  let isReleased = false;
  try {
    writeVersion(version);
    writeFileSync(CHANGELOG, changelog);
    // Before the files are made: the image is labelled with the commit that it is made of.
    git('commit', '-q', '-m', `Release ${version}`, '--', ...WRITTEN);
    say(
      makeFiles(version)
        .map(name => `${RELEASE_FOLDER}/${name}`)
        .join('\n'),
    );
    if (isDryRun) {
      say(`${version} can be released. This was a dry run: its commit is taken back, and there is no tag.`);
      return;
    }
    git('tag', '-a', `v${version}`, '-m', `Heliograph ${version}`);
    isReleased = true;
    say(`${version} is released. Publish it: git push origin main v${version}, and the files above.`);
  } finally {
    // The tree was clean, so that this takes back what stands above and nothing else.
    if (!isReleased) git('reset', '-q', '--hard', before);
  }
}

if (import.meta.main) {
  // Ctrl+C ends the command that runs, and what was written is taken back.
  process.on('SIGINT', () => undefined);
  try {
    release(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof ReleaseRefusal)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
