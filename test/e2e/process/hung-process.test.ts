import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createLogger } from '../../../src/observability/logger.ts';
import { Processes, START_MS } from '../../../src/processes/processes.ts';
import { REPOSITORY } from '../../support/repository.ts';

/** Sets the program of the processes that begin from now on. */
function beginWith(what: 'serves' | 'hangs' | 'busy'): void {
  const exec = join(REPOSITORY, 'test/support/serving-process.ts');
  cluster.setupPrimary({ exec, args: [what], execArgv: [] });
}

/** The next process that begins. */
async function nextBegun(): Promise<Worker> {
  const [worker] = await once(cluster, 'online');
  return worker as Worker;
}

/** Processes with a log that can be waited for. They are over when the test is. */
function setUp() {
  const lines: string[] = [];
  const processes = new Processes(createLogger('info', { write: line => void lines.push(line) }));
  onTestFinished(() => processes.end());
  return {
    processes,
    logged: (event: string) => expect.poll(() => lines.join('')).toContain(`"event":"${event}"`),
  };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  beginWith('serves');
});
afterEach(() => vi.useRealTimers());

test('a new process that hangs is ended, the others stay, and the next exchange finds them all', async () => {
  const { processes, logged } = setUp();
  await processes.start(2);
  const before = processes.serving();
  beginWith('hangs');
  processes.exchange();
  const hung = await nextBegun();
  vi.advanceTimersByTime(START_MS);
  await logged('process_hangs');
  await logged('processes_kept');
  expect(hung.isDead()).toBe(true);
  expect(processes.serving()).toEqual(before);
  beginWith('serves');
  processes.exchange();
  await logged('processes_exchanged');
  expect(processes.serving().filter(worker => before.includes(worker))).toEqual([]);
});

test('a process that leaves ends what it has in flight, though all are to end meanwhile', async () => {
  const { processes } = setUp();
  beginWith('busy');
  await processes.start(1);
  const [leaving] = processes.serving();
  beginWith('serves');
  processes.exchange();
  await once(leaving as Worker, 'message');
  const [next] = processes.serving();
  const isOver = vi.fn();
  void processes.end().then(isOver);
  await once(next as Worker, 'exit');
  await setImmediate();
  expect(isOver).not.toHaveBeenCalled();
  leaving?.send('end');
  expect(await once(leaving as Worker, 'exit')).toEqual([0, null]);
  await expect.poll(() => isOver).toHaveBeenCalled();
});

test('a process that hangs in the place of one that died is tried again', async () => {
  const { processes, logged } = setUp();
  await processes.start(1);
  beginWith('hangs');
  const begun = nextBegun();
  processes.serving()[0]?.process.kill('SIGKILL');
  await begun;
  beginWith('serves');
  vi.advanceTimersByTime(START_MS);
  await logged('process_not_replaced');
  await logged('process_replaced');
});

test('the first process of a start, which may have to change the tables, is waited for, and the log says that it takes long', async () => {
  const { processes, logged } = setUp();
  beginWith('hangs');
  void processes.start(2);
  const slow = await nextBegun();
  vi.advanceTimersByTime(START_MS);
  await logged('process_slow');
  expect(slow.isDead()).toBe(false);
});

test('a start whose second process hangs is over, so that who started it can try again', async () => {
  const { processes, logged } = setUp();
  const started = processes.start(2);
  const first = await nextBegun();
  beginWith('hangs');
  await nextBegun();
  vi.advanceTimersByTime(START_MS);
  await logged('process_hangs');
  await expect(started).resolves.toEqual({ exitCode: 1 });
  expect(first.isDead()).toBe(true);
});
