import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAnnouncement } from '../../../src/db/data-dir/announcement.ts';
import { lockDataDir } from '../../../src/db/data-dir/data-dir-lock.ts';
import { StartError } from '../../../src/kernel/process/start-error.ts';
import { canUnshare, IN_NAMESPACE } from '../../support/processes/namespaces.ts';
import { rounds } from '../../support/runner/rounds.ts';

const moduleUrl = (name: string) => new URL(`../../../src/db/data-dir/${name}.ts`, import.meta.url).href;
/** Takes the lock of the directory that its argument names, when its input says so, and lives until it is killed. */
const HOLDER = `
  import { createInterface } from 'node:readline';
  const { lockDataDir } = await import(${JSON.stringify(moduleUrl('data-dir-lock'))});
  process.stdout.write('ready\\n');
  const held = [];
  for await (const line of createInterface({ input: process.stdin })) {
    try {
      held.push(lockDataDir(line));
      process.stdout.write('won\\n');
    } catch (error) {
      process.stdout.write(error.name + ': ' + error.message + '\\n');
    }
  }`;
const PROCESSES = rounds({ usual: 6, long: 20 });
const canBeApart = canUnshare();

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

interface Process {
  readonly child: ChildProcess;
  ask(path: string): Promise<string>;
}

async function startProcess(before: readonly string[] = []): Promise<Process> {
  const [command = '', ...args] = [...before, process.execPath, '--input-type=module', '-e', HOLDER];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  expect(await next()).toBe('ready');
  return {
    child,
    ask(path) {
      child.stdin.write(`${path}\n`);
      return next();
    },
  };
}

/** Kills at once, as `kill -9`, and waits until the process is gone. */
async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit');
}

const inUse = (path: string, who = 'another gateway, or a command of one') =>
  `The data directory ${path} is in use by ${who}. Stop it first, or set DATA_DIR to another directory.`;

describe('lockDataDir', () => {
  it('keeps the directory locked until it is released, in this process too', () => {
    const lock = lockDataDir(dir);
    expect(() => lockDataDir(dir)).toThrow(new StartError(inUse(dir)));
    lock.release();
    lock.release();
    const next = lockDataDir(dir);
    lock.release();
    expect(() => lockDataDir(dir)).toThrow(StartError);
    next.release();
    expect(fs.readdirSync(dir)).toEqual(['gateway.lock']);
  });

  it('names the gateway that holds the lock, and not a former one', () => {
    const lock = lockDataDir(dir);
    const url = 'http://127.0.0.1:4000';
    createAnnouncement(dir, true).publish(url);
    expect(() => lockDataDir(dir)).toThrow(inUse(dir, `another gateway (process ${process.pid}, ${url})`));
    lock.release();
    // Like a killed process, it did not withdraw its announcement.
    const next = lockDataDir(dir);
    expect(() => lockDataDir(dir)).toThrow(new StartError(inUse(dir)));
    next.release();
  });

  it('is free once its holder was killed, but not while its holder is stopped', async () => {
    const { child, ask } = await startProcess();
    expect(await ask(dir)).toBe('won');
    child.kill('SIGSTOP');
    expect(() => lockDataDir(dir)).toThrow(StartError);
    await kill(child);
    lockDataDir(dir).release();
  });

  it.skipIf(!canBeApart)('holds off processes of another PID namespace, and is free when that one ends', async () => {
    const { child, ask } = await startProcess(IN_NAMESPACE);
    expect(await ask(dir)).toBe('won');
    expect(() => lockDataDir(dir)).toThrow(StartError);
    const third = await startProcess(IN_NAMESPACE);
    expect(await third.ask(dir)).toBe(`StartError: ${inUse(dir)}`);
    await kill(child);
    expect(await third.ask(dir)).toBe('won');
  });

  it(`lets exactly one of ${PROCESSES} processes in several PID namespaces win`, async () => {
    const apart = canBeApart ? IN_NAMESPACE : [];
    const processes = await Promise.all(
      Array.from({ length: PROCESSES }, (_, i) => startProcess(i % 2 === 0 ? apart : [])),
    );
    for (let round = 0; round < 3; round++) {
      const path = join(dir, String(round));
      fs.mkdirSync(path);
      const replies = await Promise.all(processes.map(({ ask }) => ask(path)));
      expect(replies.sort()).toEqual([
        ...Array.from({ length: PROCESSES - 1 }, () => `StartError: ${inUse(path)}`),
        'won',
      ]);
    }
  });

  it('works in a path of 200 characters', () => {
    const path = join(dir, 'x'.repeat(200));
    fs.mkdirSync(path);
    lockDataDir(path).release();
  });

  it('says what is wrong with a path that is too long, a directory that is not there, and a file that is no lock', () => {
    const long = join(dir, ...Array.from({ length: 3 }, () => 'x'.repeat(200)));
    fs.mkdirSync(long, { recursive: true });
    const mend = 'mend that, or set DATA_DIR to another directory.';
    expect(() => lockDataDir(long)).toThrow(
      `The data directory ${long} cannot be locked: its path is too long; ${mend}`,
    );
    const none = join(dir, 'none');
    expect(() => lockDataDir(none)).toThrow(`The data directory ${none} cannot be used (ENOENT); ${mend}`);
    const file = join(dir, 'gateway.lock');
    fs.writeFileSync(file, '{"pid":1}');
    expect(() => lockDataDir(dir)).toThrow(
      `The file ${file} is no lock; delete it when no gateway runs on that directory.`,
    );
  });
});
