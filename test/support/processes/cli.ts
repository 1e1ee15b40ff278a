import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from '../repository.ts';

/** The settings that a command of a test gets. Nothing of the environment of the tests but `PATH` reaches it. */
export type CliEnv = Readonly<Record<string, string>>;

/** How a command ended, and what it printed; `stderr` has no lines of progress where the command was run to its end. */
export interface CliResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that still runs. */
export interface CliRun {
  readonly child: ChildProcess;
  /** Resolves when the text has been printed. @throws Error where the command ends first */
  until(stream: 'stdout' | 'stderr', text: string): Promise<void>;
  /** Resolves when it has ended and everything that it printed was read. */
  readonly result: Promise<CliResult>;
}

const running = new Set<ChildProcess>();

/** Gives back what the command that runs in this process has of it. */
let giveBack = (): void => undefined;

/** Ends the commands that a test file left, and what the last of them has of this process, should it hang. */
export function endCommands(): void {
  for (const child of running) child.kill('SIGKILL');
  giveBack();
  turn = Promise.resolve();
}

const settingsOf = (env: CliEnv) => ({ PATH: process.env.PATH, EMBEDDED_DURABILITY: 'relaxed', ...env });

/** Starts `node src/start.js cli …`, from a folder that is not the project's, not waiting for the disk unless told to; `before` is a command that starts it. */
export function startCli(env: CliEnv, args: readonly string[], before: readonly string[] = []): CliRun {
  const [command = '', ...rest] = [...before, process.execPath, join(REPOSITORY, 'src/start.js'), 'cli', ...args];
  const child = spawn(command, rest, { cwd: tmpdir(), env: settingsOf(env), stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.setEncoding('utf8').on('data', (chunk: string) => {
      printed[stream] += chunk;
    });
  const result = once(child, 'close').then(([status]: (number | null)[]): CliResult => {
    running.delete(child);
    return { status: status ?? null, ...printed };
  });
  return {
    child,
    result,
    until(stream, text) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const look = (): void => {
        if (printed[stream].includes(text)) resolve();
      };
      child[stream]?.on('data', look);
      void result.then(ended => reject(new Error(`ended before it printed "${text}": ${JSON.stringify(ended)}`)));
      look();
      return promise.finally(() => child[stream]?.off('data', look));
    },
  };
}

/** Runs a command to its end, in a process of its own. */
export async function runCli(env: CliEnv, ...args: string[]): Promise<CliResult> {
  return withoutProgress(await startCli(env, args).result);
}

/** A busy machine is slow, and a command says of each slow step that it is under way: `Opening the embedded database …`. */
function withoutProgress(result: CliResult): CliResult {
  return { ...result, stderr: result.stderr.replaceAll(/^.* …\n/gm, '') };
}

/** Runs a command with `--json` in a process of its own, that must succeed and print nothing but one JSON document, and answers it. */
export async function runCliJson<Data>(env: CliEnv, ...args: string[]): Promise<Data> {
  return readJson(await runCli(env, ...args, '--json'), args);
}

let turn: Promise<unknown> = Promise.resolve();

/**
 * Runs a command to its end in this process: most of a command's time is the start of Node, and other tests look at that. Commands
 * take turns, since each has the environment and the outputs of the process for itself.
 */
export function runCommand(env: CliEnv, ...args: string[]): Promise<CliResult> {
  const result = turn.then(() => runHere(env, args));
  turn = result.catch(() => undefined);
  return result;
}

/** A `runCommand` with `--json` that must succeed and print nothing but one JSON document, which it answers. */
export async function runCommandJson<Data>(env: CliEnv, ...args: string[]): Promise<Data> {
  return readJson(await runCommand(env, ...args, '--json'), args);
}

async function runHere(env: CliEnv, args: readonly string[]): Promise<CliResult> {
  const program = await import('../../../src/cli/program.ts');
  const printed = { stdout: '', stderr: '' };
  const kept = { env: process.env, stdout: process.stdout.write, stderr: process.stderr.write };
  const umask = process.umask(0o077);
  giveBack = () => {
    process.env = kept.env;
    process.stdout.write = kept.stdout;
    process.stderr.write = kept.stderr;
    process.umask(umask);
    giveBack = () => undefined;
  };
  process.env = settingsOf(env);
  for (const stream of ['stdout', 'stderr'] as const)
    process[stream].write = (text: string | Uint8Array): boolean => {
      printed[stream] += String(text);
      return true;
    };
  try {
    return withoutProgress({ status: await program.runCommand(args), ...printed });
  } finally {
    giveBack();
  }
}

function readJson<Data>({ status, stdout, stderr }: CliResult, args: readonly string[]): Data {
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as Data;
}
