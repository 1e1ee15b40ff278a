import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { REPOSITORY } from '../support/repository.ts';

describe('the entry heliograph.js', () => {
  const room = realpathSync(mkdtempSync(join(tmpdir(), 'npx entry é ')));
  afterAll(() => rmSync(room, { recursive: true }));

  /** A copy of the entry beside a start that only prints its arguments, and beside the Node of the tests as the dependencies' one. */
  function copyEntry(): string {
    const entry = join(room, 'src/heliograph.js');
    if (existsSync(entry)) return entry;
    const bin = join(room, `node_modules/node-${process.platform}-${process.arch}/bin`);
    for (const folder of ['src', 'below']) mkdirSync(join(room, folder), { recursive: true });
    mkdirSync(bin, { recursive: true });
    symlinkSync(process.execPath, join(bin, 'node'));
    cpSync(join(REPOSITORY, 'src/heliograph.js'), entry);
    writeFileSync(join(room, 'package.json'), '{"type":"module"}');
    writeFileSync(
      join(room, 'src/start.js'),
      `process.stdout.write(JSON.stringify({ args: process.argv.slice(2), node: process.versions.node, data: process.env.DATA_DIR, flags: process.execArgv }));
process.exitCode = 2;`,
    );
    return entry;
  }

  const run = (node: string, args: string[], env: Record<string, string> = {}) => {
    const ended = spawnSync(node, [copyEntry(), ...args], { encoding: 'utf8', env, cwd: join(room, 'below') });
    return { status: ended.status, stderr: ended.stderr, said: JSON.parse(ended.stdout) };
  };

  it('starts the command line with its arguments, on the data of its folder', () => {
    expect(run(process.execPath, ['token', 'list', '--json'])).toEqual({
      status: 2,
      stderr: '',
      said: {
        args: ['cli', 'token', 'list', '--json'],
        node: process.versions.node,
        data: join(room, '.data'),
        flags: [],
      },
    });
  });

  it('leaves DATA_DIR as it is set', () => {
    expect(run(process.execPath, [], { DATA_DIR: '/elsewhere' }).said).toMatchObject({ data: '/elsewhere' });
  });

  it('starts the gateway with the flags of npm start', () => {
    const { args, flags } = run(process.execPath, ['start']).said;
    expect([args, ['node', ...flags, 'src/start.js'].join(' ')]).toEqual([
      ['cli', 'start'],
      packageJson.scripts.start.replace('exec ', ''),
    ]);
  });

  it('leaves the data where it is typed once it is installed as a package', () => {
    copyEntry();
    const home = join(room, 'node_modules/heliograph');
    for (const name of ['src', 'package.json']) cpSync(join(room, name), join(home, name), { recursive: true });
    const ended = spawnSync(process.execPath, [join(home, 'src/heliograph.js')], { encoding: 'utf8', env: {} });
    expect(JSON.parse(ended.stdout).data).toBeUndefined();
  });

  it('hands over to the Node of the dependencies when the machine has an older one', context => {
    const folders = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin', ...(process.env.PATH ?? '').split(delimiter)];
    const old = [...new Set(folders)]
      .map(folder => join(folder, 'node'))
      .filter(node => existsSync(node))
      .find(
        node => Number(spawnSync(node, ['-p', 'parseInt(process.versions.node)'], { encoding: 'utf8' }).stdout) < 24,
      );
    if (old === undefined) {
      process.stderr.write('skipped: this machine has no Node.js older than 24\n');
      return context.skip('this machine has no Node.js older than 24');
    }
    expect(run(old, ['send', 'a b'])).toMatchObject({
      status: 2,
      said: { args: ['cli', 'send', 'a b'], node: process.versions.node },
    });
  });
});
