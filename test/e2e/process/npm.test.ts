import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockDataDir } from '../../../src/db/data-dir/data-dir-lock.ts';
import { readPrivateJson } from '../../../src/db/data-dir/private-file.ts';
import { ask, type Demo, makeFolder, send, startDemoGateway, until } from '../../support/processes/gateway.ts';
import { REPOSITORY } from '../../support/repository.ts';
import { copyEmbedded } from '../../support/runner/embedded-template.ts';

/** The sandbox takes this one's messages after two seconds. */
const SLOW = '+12025550107';

const groups: number[] = [];

afterAll(() => {
  for (const group of groups) {
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      // The process has ended.
    }
  }
});

interface NpmRun {
  readonly child: ChildProcess;
  /** Resolves with the match in the output. @throws Error if it ends before */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves when npm has ended: what it started may still run. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Runs npm as it is run in a terminal or a container: the leader of a process group. */
function startNpm(dataDir: string, ...args: string[]): NpmRun {
  return start('npm', args, dataDir);
}

function start(program: string, args: readonly string[], dataDir: string, more: Record<string, string> = {}): NpmRun {
  const { cwd = REPOSITORY, ...settings } = more;
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  if (child.pid) groups.push(child.pid);
  let printed = '';
  const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
    });
  return {
    child,
    exited,
    until(pattern) {
      const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
      const look = (): void => {
        const found = pattern.exec(printed);
        if (found) resolve(found);
      };
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', look);
      void exited.then(exit => reject(new Error(`ended with ${JSON.stringify(exit)}:\n${printed}`)));
      look();
      return promise;
    },
  };
}

function signal({ child }: NpmRun, signal: NodeJS.Signals, whom: string): void {
  const pid = child.pid ?? 0;
  process.kill(whom === 'npm' ? pid : -pid, signal);
}

const CASES = [
  ['SIGTERM', 'npm'],
  ['SIGTERM', 'its process group'],
  ['SIGINT', 'npm'],
  ['SIGINT', 'its process group'],
] as const;

describe('npm start', () => {
  /** They follow one another on one folder, whose first start takes longest. */
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await makeFolder();
    await copyEmbedded(dataDir);
  });

  test.each(CASES)('%s to %s stops the gateway, and npm ends after it', async (name, whom) => {
    const npm = startNpm(dataDir, 'start');
    const url = (await npm.until(/^Heliograph listens on (\S+)/m))[1] ?? '';
    const token = (readPrivateJson(dataDir, 'demo.json') as Demo).tokens.unified;
    const inFlight = send({ url }, token, { to: SLOW });
    await until('a message is pending', async () => {
      const query = '{ messages(filter: { status: PENDING }) { nodes { messageId } } }';
      const { messages } = await ask<{ messages: { nodes: unknown[] } }>({ url }, token, query);
      return messages.nodes.length > 0 ? true : null;
    });
    signal(npm, name, whom);
    expect((await inFlight).status).toBe(200);
    expect(await npm.exited).toEqual({ code: 0, signal: null });
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    lockDataDir(dataDir).release();
  });
});

describe('npm run cli', () => {
  test('what follows the log is ended by each of them', async () => {
    const gateway = await startDemoGateway();
    for (const [name, whom] of CASES) {
      const npm = startNpm(gateway.dataDir, 'run', '-s', 'cli', '--', 'logs', '--follow');
      await npm.until(/Following the log/);
      // Whatever still runs keeps these open.
      const closed = once(npm.child, 'close');
      signal(npm, name, whom);
      // Of a group each is told twice, and the second signal may find the command on its way out.
      const ends =
        whom === 'npm'
          ? [{ code: 0, signal: null }]
          : [
              { code: 0, signal: null },
              { code: null, signal: name },
            ];
      expect(ends, `${name} to ${whom}`).toContainEqual(await npm.exited);
      await closed;
    }
  });

  test('arguments arrive as they were given, and so does the exit status', async () => {
    const npm = startNpm(
      join(import.meta.filename, 'none'),
      'run',
      '-s',
      'cli',
      '--',
      'account',
      'create',
      'a \'b\' "$c" && d',
      'e',
    );
    await npm.until(/too many arguments/);
    expect(await npm.exited).toEqual({ code: 2, signal: null });
  });

  test('where the -- was forgotten, it says how to do without npm', async () => {
    const npm = startNpm(await makeFolder(), 'run', '-s', 'cli', 'send', '--to', '+12025550100', '--text', 'Hello');
    await npm.until(/^npm keeps options to itself .* npx heliograph send …$/m);
    expect(await npm.exited).toEqual({ code: 2, signal: null });
  });

  test('a mistake that npm has no part in gets no such hint', async () => {
    const npm = startNpm(await makeFolder(), 'run', '-s', 'cli', '--', 'send', '--to', '+12025550100');
    const closed = once(npm.child, 'close');
    expect(await npm.exited).toEqual({ code: 2, signal: null });
    await closed;
    const [printed] = await npm.until(/.*--text <text>.*/s);
    expect(printed).not.toContain('npm keeps');
  });
});

describe('npx heliograph', () => {
  test('runs in the folder and below it, with nothing from a registry, and npm takes no option', async () => {
    // A cache that is new, and a registry that is not there.
    const settings = { npm_config_cache: await makeFolder(), npm_config_offline: 'true' };
    const args = ['heliograph', 'token', 'create', 'acc_x', '--area', 'chat'];
    for (const cwd of [REPOSITORY, join(REPOSITORY, 'src')]) {
      const npx = start('npx', args, await makeFolder(), { ...settings, cwd });
      await npx.until(/Allowed choices are unified, sms, otp, management/);
      expect(await npx.exited).toEqual({ code: 2, signal: null });
    }
  }, 60_000);
});
