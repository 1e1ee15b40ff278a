/** Processes that the bench starts. None of them outlives it, whatever ends it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const STOP_TIMEOUT_MS = 15_000;
const ERRORS_LENGTH_MAX = 8_000;

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** A process, with what it has said so far. */
export interface Child {
  readonly process: ChildProcess;
  readonly output: () => string;
  /** The end of what it wrote to standard error. */
  readonly errors: () => string;
}

/** Starts a program. `env` is all of its environment beside PATH. */
export function startChild(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Child {
  let output = '';
  let errors = '';
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-ERRORS_LENGTH_MAX);
  });
  return { process: child, output: () => output, errors: () => errors };
}

/** Runs a program to its end and answers its standard output. @throws Error with what it complained about. */
export async function runChild(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = startChild(command, args, env);
  const [status] = await once(child.process, 'close');
  if (status !== 0) throw new Error(`${command} ended with status ${status}:\n${child.errors()}`);
  return child.output();
}

/** Asks a process to end, and sees to it. */
export async function stopChild({ process: child }: Child): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}
