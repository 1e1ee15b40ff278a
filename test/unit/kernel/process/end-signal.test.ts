import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from 'vitest';

/**
 * Says when it is to end, and never does by itself. Answers each line of its input; after `busy`, two seconds have passed for it, after `later` more than three.
 */
const PROCESS = `
  let nowMs = 0;
  performance.now = () => nowMs;
  const { onEndSignal } = await import(${JSON.stringify(new URL('../../../../src/kernel/process/end-signal.ts', import.meta.url).href)});
  onEndSignal(() => process.stdout.write('ending\\n'), ['SIGHUP']);
  process.stdin.on('data', line => {
    if (String(line) === 'busy\\n') nowMs += 2_000;
    if (String(line) === 'later\\n') nowMs += 1_001;
    process.stdout.write('alive\\n');
  });
  process.stdout.write('ready\\n');`;

let child: ChildProcess | null = null;
afterEach(() => void child?.kill('SIGKILL'));

async function start() {
  const started = spawn(process.execPath, ['--input-type=module', '-e', PROCESS], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child = started;
  const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string | null> => (await lines.next()).value ?? null;
  expect(await next()).toBe('ready');
  /** Whether it still runs: its answer comes after whatever the signals before did. */
  const isAlive = async (line = '?'): Promise<boolean> => {
    started.stdin.write(`${line}\n`);
    return (await next()) === 'alive';
  };
  started.stdin.on('error', () => undefined);
  return { started, next, isAlive };
}

it.each([
  ['SIGTERM', 'SIGTERM'],
  ['SIGINT', 'SIGINT'],
  ['SIGINT', 'SIGTERM'],
  ['SIGHUP', 'SIGHUP'],
  ['SIGHUP', 'SIGTERM'],
] as const)(
  '%s and %s together are one wish; one that comes later ends at once, with status 1',
  async (first, second) => {
    const { started, next, isAlive } = await start();
    const exited = once(started, 'exit');
    started.kill(first);
    expect(await next()).toBe('ending');
    started.kill(second);
    expect(await isAlive()).toBe(true);
    // Of a machine that is busy npm may forward it after the gateway has had its own for long.
    expect(await isAlive('busy')).toBe(true);
    started.kill(second);
    expect(await isAlive()).toBe(true);
    expect(await isAlive('later')).toBe(true);
    started.kill(second);
    expect(await exited).toEqual([1, null]);
  },
);
