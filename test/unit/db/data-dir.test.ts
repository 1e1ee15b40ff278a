import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as dataDir from '../../../src/db/data-dir/data-dir.ts';
import { StartError } from '../../../src/kernel/process/start-error.ts';
import { isRoot, NOBODY } from '../../support/processes/users.ts';

const { dataDirFault, prepareDataDir, readOrCreateSecret, readSecret } = dataDir;
const MODULE = new URL('../../../src/db/data-dir/data-dir.ts', import.meta.url).href;
const modes = process.platform !== 'win32';
/** Drops superuser rights at the start of a process. */
const AS_NOBODY = `if (process.geteuid() === 0) process.setuid(${NOBODY});`;

let dir: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  // Blanks, quotes and letters beyond ASCII are ordinary in a path.
  dir = fs.mkdtempSync(join(tmpdir(), "gate way's données 数据 "));
});

afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
  fs.rmSync(dir, { recursive: true, force: true });
});

/** A process that answers each line on its input with what `answer`, the body of an async function of `line`, returns. */
function startProcess(answer: string): { child: ChildProcess; ask: (line: string) => Promise<string> } {
  const code = `
    import { createInterface } from 'node:readline';
    const dataDir = await import(${JSON.stringify(MODULE)});
    for await (const line of createInterface({ input: process.stdin })) {
      const reply = await (async () => { ${answer} })().catch(error => error.name + ': ' + error.message);
      process.stdout.write(reply + '\\n');
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    ask: async line => {
      child.stdin.write(`${line}\n`);
      return String((await lines.next()).value);
    },
  };
}

/** Kills at once, as `kill -9`, and waits until the process is gone. */
async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit');
}

const modeOf = (path: string) => fs.statSync(path).mode & 0o777;

const faulty = (path: string, fault: string, cause?: unknown) =>
  new StartError(`The data directory ${path} ${fault}; mend that, or set DATA_DIR to another directory.`, cause);

describe('prepareDataDir', () => {
  it('makes the directory and those above it for this user alone', () => {
    const path = join(dir, 'a b', 'ç');
    prepareDataDir(path);
    prepareDataDir(path);
    expect(fs.statSync(path).isDirectory()).toBe(true);
    if (modes) expect(modeOf(path)).toBe(0o700);
  });

  it('refuses a file', () => {
    const path = join(dir, 'file');
    fs.writeFileSync(path, '');
    for (const used of [path, join(path, 'below')]) {
      expect(() => prepareDataDir(used)).toThrow(faulty(used, 'is a file or lies below one, not a directory'));
    }
  });

  it.skipIf(!modes)('refuses a directory that this user may not write', async () => {
    fs.mkdirSync(join(dir, 'closed'), { mode: 0o500 });
    // Permissions do not bind the superuser, so the process gives that up first.
    if (isRoot) fs.chownSync(dir, NOBODY, NOBODY);
    if (isRoot) fs.chownSync(join(dir, 'closed'), NOBODY, NOBODY);
    const user = startProcess(`${AS_NOBODY} dataDir.prepareDataDir(line);`);
    const refusal = /^StartError: The data directory .* may not be read and written by the user that runs the gateway/;
    expect(await user.ask(join(dir, 'closed'))).toMatch(refusal);
    expect(await user.ask(join(dir, 'closed', 'below'))).toMatch(refusal);
  });

  it.skipIf(!modes)('closes to others what it holds, and what links point to is left alone', () => {
    const outside = fs.mkdtempSync(join(tmpdir(), 'outside '));
    fs.chmodSync(outside, 0o755);
    fs.writeFileSync(join(outside, 'file'), '', { mode: 0o644 });
    const used = join(dir, 'used');
    fs.mkdirSync(join(used, 'database', 'pg_wal'), { recursive: true });
    fs.writeFileSync(join(used, 'database', 'pg_wal', '1'), '');
    fs.symlinkSync(outside, join(used, 'link'));
    fs.symlinkSync(join(outside, 'file'), join(used, 'database', 'link'));
    fs.symlinkSync(join(used, 'nowhere'), join(used, 'broken'));
    for (const path of ['', 'database', 'database/pg_wal', 'database/pg_wal/1']) fs.chmodSync(join(used, path), 0o4777);
    prepareDataDir(used);
    expect(
      ['', 'database', 'database/pg_wal', 'database/pg_wal/1'].map(path => fs.statSync(join(used, path)).mode & 0o7777),
    ).toEqual([0o700, 0o700, 0o700, 0o600]);
    expect([modeOf(outside), modeOf(join(outside, 'file'))]).toEqual([0o755, 0o644]);
    fs.rmSync(outside, { recursive: true });
  });

  it.skipIf(!modes)('closes the directory that a link is, too', () => {
    fs.mkdirSync(join(dir, 'real'));
    fs.chmodSync(join(dir, 'real'), 0o777);
    fs.symlinkSync(join(dir, 'real'), join(dir, 'link'));
    prepareDataDir(join(dir, 'link'));
    expect(modeOf(join(dir, 'real'))).toBe(0o700);
  });

  it.skipIf(!isRoot)('refuses what belongs to somebody else, whoever runs it', async () => {
    const used = join(dir, 'used');
    const file = join(used, 'database', 'PG_VERSION');
    fs.mkdirSync(join(used, 'database'), { recursive: true });
    fs.writeFileSync(file, '');
    fs.chmodSync(file, 0o666);
    fs.chownSync(file, NOBODY, NOBODY);
    const advice =
      'give all of it to the user that runs the gateway, or set DATA_DIR to another directory, such as a new one below it.';
    expect(() => prepareDataDir(used)).toThrow(
      new StartError(
        `The data directory ${used} holds ${file}, which belongs to another user (${NOBODY}, and this one is 0); ${advice}`,
      ),
    );
    expect(modeOf(file)).toBe(0o666);
    fs.chmodSync(dir, 0o777);
    fs.mkdirSync(join(dir, 'open'));
    fs.chmodSync(join(dir, 'open'), 0o777);
    const user = startProcess(`${AS_NOBODY} dataDir.prepareDataDir(line);`);
    expect(await user.ask(join(dir, 'open'))).toBe(
      `StartError: The data directory ${join(dir, 'open')} belongs to another user (0, and this one is ${NOBODY}); ${advice}`,
    );
  });

  it.each([
    ['ENOSPC', 'cannot be written because its disk is full'],
    ['EROFS', 'is on a disk that is read-only'],
    ['EIO', 'cannot be used (EIO)'],
  ])('says in one sentence what %s means', (code, fault) => {
    const failure = Object.assign(new Error(code), { code, syscall: 'write' });
    expect(dataDirFault(dir, failure)).toEqual(faulty(dir, fault, failure));
  });

  it('leaves errors alone that do not come from the system', () => {
    const bug = new TypeError('bug');
    expect(dataDirFault(dir, bug)).toBe(bug);
  });
});

describe('readOrCreateSecret', () => {
  it('makes a secret once, for this user alone', () => {
    expect(readOrCreateSecret(dir, 'secret.key', () => 'first')).toBe('first');
    expect(readOrCreateSecret(dir, 'secret.key', () => 'second')).toBe('first');
    if (modes) expect(modeOf(join(dir, 'secret.key'))).toBe(0o600);
    expect(readOrCreateSecret(dir, 'operator.token', () => 'third')).toBe('third');
    expect(fs.readdirSync(dir)).toEqual(['operator.token', 'secret.key']);
  });

  it('refuses an empty file rather than replacing a lost secret', () => {
    fs.writeFileSync(join(dir, 'secret.key'), '\n');
    expect(() => readOrCreateSecret(dir, 'secret.key', () => 'new')).toThrow(StartError);
  });

  it('refuses a secret that is not good enough, and does not repeat it', () => {
    fs.writeFileSync(join(dir, 'a.token'), 'guessme\n');
    const refused = new StartError(`The secret in the file ${join(dir, 'a.token')} is too short.`);
    const faultOf = (secret: string) => (secret.length < 10 ? 'is too short' : null);
    expect(() => readOrCreateSecret(dir, 'a.token', () => 'new', faultOf)).toThrow(refused);
    expect(() => readSecret(dir, 'a.token', faultOf)).toThrow(refused);
    expect(readSecret(dir, 'none', faultOf)).toBeNull();
  });

  it('gives processes that start together the same secret', async () => {
    const answer = "return dataDir.readOrCreateSecret(line, 'secret.key', () => 'made by ' + process.pid);";
    const processes = [startProcess(answer), startProcess(answer)];
    for (let round = 0; round < 20; round++) {
      const path = join(dir, String(round));
      fs.mkdirSync(path);
      const secrets = await Promise.all(processes.map(({ ask }) => ask(path)));
      expect(secrets[0]).toMatch(/^made by \d+$/);
      expect(new Set(secrets).size).toBe(1);
      expect(fs.readdirSync(path)).toEqual(['secret.key']);
    }
  });
});
