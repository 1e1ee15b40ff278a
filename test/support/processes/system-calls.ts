/** The system calls of a process, by strace. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from './gateway.ts';

/** System calls that are being noted. */
export interface Trace {
  /** Ends it, and answers the calls in their order, one a line, with the path of each file. */
  stop(): Promise<string[]>;
}

/** Notes system calls of the main thread of a process from now on; answers a sentence where that is not possible here. */
export async function traceCalls(pid: number, calls: readonly string[]): Promise<Trace | string> {
  const file = join(await makeFolder(), 'calls');
  const child = spawn('strace', ['-y', '-s', '64', '-e', `trace=${calls.join(',')}`, '-o', file, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const failed = once(child, 'error').then(([error]) => String(error));
  const ended = once(child, 'close');
  let said = '';
  const attached = new Promise<void>(resolve => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (/attached/.test(said)) resolve();
    });
  });
  const fault = await Promise.race([attached.then(() => null), failed, ended.then(() => said.trim())]);
  if (fault !== null) return `strace cannot be used here: ${fault}`;
  return {
    async stop() {
      child.kill('SIGINT');
      await ended;
      return (await readFile(file, 'utf8')).split('\n');
    },
  };
}
