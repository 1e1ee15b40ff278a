import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as dataDir from '../../src/db/data-dir.ts';
import { StartError } from '../../src/kernel/start-error.ts';

const { announceGateway, dataDirFault, findGateway, lockDataDir, prepareDataDir, readOrCreateSecret } = dataDir;
const URL_A = 'http://127.0.0.1:4000';
const URL_B = 'http://127.0.0.1:4001';
const MODULE = new URL('../../src/db/data-dir.ts', import.meta.url).href;
const modes = process.platform !== 'win32';

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
    const held = [];
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

const LOCK = `held.push(await dataDir.lockDataDir(line, { url: '${URL_A}' })); return 'won';`;
async function startHolder() {
  const holder = startProcess(LOCK);
  expect(await holder.ask(dir)).toBe('won');
  return holder;
}

/** Takes the lock that nobody living holds, leaves nothing else in the directory, and gives it back. */
async function expectTaken(): Promise<void> {
  const lock = await lockDataDir(dir, { url: URL_B });
  expect(lockFile()).toMatchObject({ pid: process.pid, url: URL_B });
  expect(fs.readdirSync(dir)).toEqual(['gateway.lock']);
  lock.release();
}

const inUse = (path: string, pid: number | undefined) =>
  `The data directory ${path} is in use by another gateway (process ${pid}, ${URL_A}). Stop it first, or set DATA_DIR to another directory.`;
/** A lock that no living process holds. */
const STALE = { pid: spawnSync(process.execPath, ['-e', '']).pid, startedAt: 1, url: URL_B, id: 'a'.repeat(16) };
const STALE_GUARD = { name: `gateway.lock.${STALE.id}`, text: JSON.stringify({ ...STALE, id: 'b'.repeat(16) }) };
const lockFile = () => JSON.parse(fs.readFileSync(join(dir, 'gateway.lock'), 'utf8'));
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
    const user = startProcess('if (process.geteuid() === 0) process.seteuid(65534); dataDir.prepareDataDir(line);');
    const refusal = /^StartError: The data directory .* may not be read and written by the user that runs the gateway/;
    expect(await user.ask(join(dir, 'closed'))).toMatch(refusal);
    expect(await user.ask(join(dir, 'closed', 'below'))).toMatch(refusal);
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

  it.skipIf(!modes)('closes a file that others could read', () => {
    fs.writeFileSync(join(dir, 'secret.key'), 'old\n', { mode: 0o644 });
    expect(readOrCreateSecret(dir, 'secret.key', () => 'new')).toBe('old');
    expect(modeOf(join(dir, 'secret.key'))).toBe(0o600);
  });

  it('refuses an empty file rather than replacing a lost secret', () => {
    fs.writeFileSync(join(dir, 'secret.key'), '\n');
    expect(() => readOrCreateSecret(dir, 'secret.key', () => 'new')).toThrow(StartError);
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

describe('lockDataDir', () => {
  it('writes who holds the directory, and gives it back', async () => {
    const lock = await lockDataDir(dir, { url: URL_A });
    expect(lockFile()).toMatchObject({ pid: process.pid, url: URL_A });
    if (process.platform === 'linux') expect(lockFile().startedAt).toBeGreaterThan(0);
    await expect(lockDataDir(dir, { url: URL_B })).rejects.toThrow(inUse(dir, process.pid));
    lock.updateUrl(URL_B);
    expect(lockFile()).toMatchObject({ pid: process.pid, url: URL_B });
    lock.release();
    lock.release();
    expect(fs.readdirSync(dir)).toEqual([]);
    const next = await lockDataDir(dir, { url: URL_A });
    lock.updateUrl(URL_B);
    lock.release();
    expect(lockFile().url).toBe(URL_A);
    next.release();
  });

  it('refuses a second lock while a process holds the first, and names that process', async () => {
    const other = await startHolder();
    await expect(lockDataDir(dir, { url: URL_B })).rejects.toThrow(inUse(dir, other.child.pid));
    expect(lockFile().pid).toBe(other.child.pid);
  });

  it('recovers the lock of a process that was killed', async () => {
    const other = await startHolder();
    await kill(other.child);
    await expectTaken();
  });

  it.skipIf(process.platform !== 'linux')('notices that a process number was used again', async () => {
    await startHolder();
    fs.writeFileSync(join(dir, 'gateway.lock'), JSON.stringify({ ...lockFile(), startedAt: lockFile().startedAt - 1 }));
    await expectTaken();
  });

  it('trusts the process number alone where the start time is not known', async () => {
    const other = await startHolder();
    fs.writeFileSync(join(dir, 'gateway.lock'), JSON.stringify({ ...lockFile(), startedAt: null }));
    await expect(lockDataDir(dir, { url: URL_B })).rejects.toThrow(`process ${other.child.pid}`);
  });

  it.skipIf(process.platform !== 'linux')('takes a process that ended but was not collected for gone', async () => {
    // The shell starts `head` and becomes `cat`, which never collects it. An echo shows that the shell is gone.
    const code = 'head -c1 <&3 >/dev/null & echo $!; exec cat 3<&-';
    const parent = spawn('/bin/sh', ['-c', code], { stdio: ['pipe', 'pipe', 'inherit', 'pipe'] });
    children.push(parent);
    const lines = createInterface({ input: parent.stdio[1] as Readable })[Symbol.asyncIterator]();
    const pid = Number((await lines.next()).value);
    (parent.stdio[0] as Writable).write('echo\n');
    await lines.next();
    (parent.stdio[3] as Writable).write('x');
    const statOf = () => fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    await expect.poll(() => statOf()[0]).toBe('Z');
    fs.writeFileSync(join(dir, 'gateway.lock'), JSON.stringify({ ...STALE, pid, startedAt: Number(statOf()[19]) }));
    await expectTaken();
  });

  it.each(['', '{"pid":', 'null', '{"pid":99999999999}'])('recovers a lock that was spoilt to %j', async text => {
    fs.writeFileSync(join(dir, 'gateway.lock'), text);
    await expectTaken();
  });

  it('recovers when the process that was replacing a stale lock died too', async () => {
    fs.writeFileSync(join(dir, 'gateway.lock'), JSON.stringify(STALE));
    fs.writeFileSync(join(dir, STALE_GUARD.name), STALE_GUARD.text);
    await expectTaken();
  });

  it.each(['holds its guard', 'was faster'])('leaves a stale lock to a living process that %s', async state => {
    // What another process does between two steps of ours; ours runs no step before the first await here.
    const other = await startHolder();
    const theirs = fs.readFileSync(join(dir, 'gateway.lock'), 'utf8');
    fs.writeFileSync(join(dir, 'gateway.lock'), JSON.stringify(STALE));
    if (state === 'holds its guard') fs.writeFileSync(join(dir, STALE_GUARD.name), theirs);
    const refused = expect(lockDataDir(dir, { url: URL_B })).rejects.toThrow(inUse(dir, other.child.pid));
    fs.writeFileSync(join(dir, 'gateway.lock'), theirs);
    fs.rmSync(join(dir, STALE_GUARD.name));
    await refused;
    expect(fs.readFileSync(join(dir, 'gateway.lock'), 'utf8')).toBe(theirs);
    expect(fs.readdirSync(dir)).toEqual(['gateway.lock']);
  });

  it('says what is wrong with a directory that is not there', async () => {
    const path = join(dir, 'none');
    await expect(lockDataDir(path, { url: URL_A })).rejects.toThrow(faulty(path, 'cannot be used (ENOENT)'));
  });

  it.each(['free', 'stale', 'stale and guarded'])(
    'lets exactly one process win the race for a %s lock',
    async state => {
      const processes = [startProcess(LOCK), startProcess(LOCK), startProcess(LOCK)];
      for (let round = 0; round < 20; round++) {
        const path = join(dir, String(round));
        fs.mkdirSync(path);
        if (state !== 'free') fs.writeFileSync(join(path, 'gateway.lock'), JSON.stringify(STALE));
        if (state === 'stale and guarded') fs.writeFileSync(join(path, STALE_GUARD.name), STALE_GUARD.text);
        const replies = await Promise.all(processes.map(({ ask }) => ask(path)));
        const holder = JSON.parse(fs.readFileSync(join(path, 'gateway.lock'), 'utf8'));
        const winner = processes.findIndex(({ child }) => child.pid === holder.pid);
        expect(replies).toEqual(
          processes.map((_, index) => (index === winner ? 'won' : `StartError: ${inUse(path, holder.pid)}`)),
        );
        expect(fs.readdirSync(path)).toEqual(['gateway.lock']);
      }
    },
  );
});

describe('findGateway', () => {
  it('finds the gateway that announced itself until it takes that back', () => {
    expect(findGateway(dir)).toBeNull();
    const withdraw = announceGateway(dir, { url: URL_A });
    expect(findGateway(dir)).toEqual({ pid: process.pid, url: URL_A });
    if (modes) expect(modeOf(join(dir, 'gateway.json'))).toBe(0o600);
    withdraw();
    withdraw();
    expect(findGateway(dir)).toBeNull();
    expect(fs.readdirSync(dir)).toEqual([]);
  });

  it('finds the last one, whose announcement an earlier one leaves alone', () => {
    const withdraw = announceGateway(dir, { url: URL_A });
    announceGateway(dir, { url: URL_B });
    withdraw();
    expect(findGateway(dir)?.url).toBe(URL_B);
  });

  it('finds none when its process was killed', async () => {
    const other = startProcess(`dataDir.announceGateway(line, { url: '${URL_A}' }); return 'announced';`);
    expect(await other.ask(dir)).toBe('announced');
    expect(findGateway(dir)).toEqual({ pid: other.child.pid, url: URL_A });
    await kill(other.child);
    expect(findGateway(dir)).toBeNull();
  });

  it('finds none in a file that holds something else, and none where no directory is', () => {
    fs.writeFileSync(join(dir, 'gateway.json'), '{"url":"http://127.0.0.1:4000"}');
    expect(findGateway(dir)).toBeNull();
    expect(findGateway(join(dir, 'none'))).toBeNull();
  });
});
