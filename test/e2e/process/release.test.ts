import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { makeFolder } from '../../support/processes/gateway.ts';
import { REPOSITORY } from '../../support/repository.ts';

const run = promisify(execFile);

/** Above every version that there is. */
const VERSION = '99.2.0';

/** A clone with what is not committed yet. Its checks fail when they are told to, its build and its image are stubs. */
let clone: string;
let begin: string;

beforeAll(async () => {
  clone = join(await makeFolder(), 'clone');
  await run('git', ['clone', '-q', '--depth', '1', `file://${REPOSITORY}`, clone]);
  for (const path of ['src/build', 'src/client', 'package-lock.json', '.gitignore'])
    await cp(join(REPOSITORY, path), join(clone, path), { recursive: true });
  const own = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'));
  const check = `node -e "process.exit(require('fs').existsSync('.git/fails') ? 1 : 0)"`;
  const build = `node -e "require('fs').cpSync('src/start.js', 'dist/server/main.js')"`;
  const client = JSON.parse(await readFile(join(REPOSITORY, 'src/client/package.json'), 'utf8'));
  client.scripts = { prepack: check.replace('.git/fails', '../../.git/breaks') };
  await writeFile(join(clone, 'src/client/package.json'), `${JSON.stringify(client, null, 2)}\n`);
  own.scripts = { ...own.scripts, lint: check, typecheck: check, 'schema:check': check, build };
  await writeFile(join(clone, 'package.json'), JSON.stringify(own, null, 2));
  await rm(join(clone, 'deploy/image'), { recursive: true, force: true });
  await mkdir(join(clone, 'deploy/image'));
  // The image is labelled with the commit that it is made of.
  const label = "git describe --always --dirty --abbrev=40 --exclude='*'";
  const image = `#!/bin/sh\n[ "$1" = --out ] && ${label} > "$2/image.tar"\n`;
  await writeFile(join(clone, 'deploy/image/build'), image, { mode: 0o755 });
  await symlink(join(REPOSITORY, 'node_modules'), join(clone, 'node_modules'));
  await writeFile(join(clone, '.git/info/exclude'), 'node_modules\n');
  await git('checkout', '-q', '-B', 'main');
  await git('add', '-A');
  await git('commit', '-q', '-m', 'Begin');
  begin = await git('rev-parse', 'HEAD');
});

beforeEach(async () => {
  for (const path of ['release', '.git/fails', '.git/breaks'])
    await rm(join(clone, path), { recursive: true, force: true });
  await git('checkout', '-q', '-f', '-B', 'main', begin);
  await git('clean', '-qfd');
  for (const tag of (await git('tag')).split('\n').filter(Boolean)) await git('tag', '-d', tag);
});

const WHO = { NAME: 'Ada', EMAIL: 'ada@example.com' };
const identity = Object.fromEntries(
  Object.entries(WHO).flatMap(([name, value]) => ['AUTHOR', 'COMMITTER'].map(role => [`GIT_${role}_${name}`, value])),
);
const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...identity };

async function git(...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: clone, env })).stdout.trim();
}

/** Runs a release, and answers its status and what it printed. */
async function release(...args: string[]): Promise<{ status: number; said: string }> {
  const script = join(clone, 'src/build/release/release.ts');
  const ended = run(process.execPath, [script, ...args], { cwd: clone, env });
  return await ended.then(
    ({ stdout }) => ({ status: 0, said: stdout }),
    ({ code, stderr }) => ({ status: code, said: stderr }),
  );
}

const FILES = [
  'SHA256SUMS',
  `heliograph-${VERSION}.cdx.json`,
  `heliograph-${VERSION}.tgz`,
  `heliograph-client-${VERSION}.tgz`,
  'image.tar',
];

test('a dry run makes the files and leaves tree and tags as they were, and the release after it commits and tags', async () => {
  const before = await git('rev-parse', 'HEAD');
  const tried = await release(VERSION, '--dry-run');
  expect(tried.said).toContain('.ci/run must have passed on this commit');
  expect([await git('status', '--porcelain'), await git('tag'), await git('rev-parse', 'HEAD')]).toEqual([
    '',
    '',
    before,
  ]);
  const made = join(clone, 'release');
  expect((await readdir(made)).sort()).toEqual(FILES);
  const bill = await readFile(join(made, `heliograph-${VERSION}.cdx.json`), 'utf8');
  await rm(made, { recursive: true });

  expect((await release(VERSION)).said).toContain(`${VERSION} is released.`);
  expect([await git('status', '--porcelain'), await git('tag')]).toEqual(['', `v${VERSION}`]);
  expect(await git('log', '-1', '--format=%s', `v${VERSION}`)).toBe(`Release ${VERSION}`);
  expect(await readFile(join(made, 'image.tar'), 'utf8')).toBe(`${await git('rev-parse', 'HEAD')}\n`);
  await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: made });
  expect(await readFile(join(made, `heliograph-${VERSION}.cdx.json`), 'utf8')).toBe(bill);
  expect(JSON.parse(bill).components).toContainEqual(expect.objectContaining({ name: 'graphql' }));
  expect(await readFile(join(clone, 'CHANGELOG.md'), 'utf8')).toMatch(
    /## \[Unreleased\]\n\n## \[99\.2\.0\] - \d{4}-\d\d-\d\d\n/,
  );
  const versions = ['package.json', 'src/client/package.json', 'package-lock.json'].map(async file => {
    const { version, packages } = JSON.parse(await readFile(join(clone, file), 'utf8'));
    return packages ? [version, packages[''].version, packages['src/client'].version] : version;
  });
  expect(await Promise.all(versions)).toEqual([VERSION, VERSION, [VERSION, VERSION, VERSION]]);
  const deployed = await readFile(join(clone, 'deploy/kubernetes/kustomization.yaml'), 'utf8');
  expect(deployed).toContain(`newTag: ${VERSION}\n`);
  expect(await readFile(join(clone, 'docs/deploying.md'), 'utf8')).toContain(`heliograph:${VERSION}\n`);
  expect((await release(VERSION)).said).toContain('released already');
});

test.each([
  ['no version is given', [], 'Say which version'],
  ['an option is unknown', [VERSION, '--quick'], "Unknown option '--quick'"],
  ['the version is none', ['1.0'], '1.0 is no version: give three numbers'],
  ['the version is below the last one', ['0.0.1'], '0.0.1 is below'],
])('a release is refused where %s', async (_what, args, message) => {
  expect(await release(...args)).toEqual({ status: 1, said: expect.stringContaining(message) });
});

test.each([
  ['a file is not committed', async () => writeFile(join(clone, 'left.txt'), ''), 'not clean'],
  [
    'the branch is another one',
    () => git('checkout', '-q', '-b', 'topic'),
    'Releases are made on main, and this is topic',
  ],
  ['a check fails', () => writeFile(join(clone, '.git/fails'), ''), 'npm run -s lint failed'],
])('a release is refused where %s, and nothing is made', async (_what, spoil, message) => {
  await spoil();
  expect(await release(VERSION)).toEqual({ status: 1, said: expect.stringContaining(message) });
  expect([await git('tag'), await git('diff', '--stat'), existsSync(join(clone, 'release'))]).toEqual(['', '', false]);
});

test('a release that breaks off takes back what it wrote', async () => {
  await writeFile(join(clone, '.git/breaks'), '');
  expect((await release(VERSION)).status).toBe(1);
  expect([await git('tag'), await git('status', '--porcelain')]).toEqual(['', '']);
});
