import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { expect, inject } from 'vitest';
import { createKeyRing, type KeyRing } from '../../../src/kernel/crypto/key-ring.ts';
import { decodeSecretKey } from '../../../src/kernel/crypto/secrets.ts';
import { createDatabase, readPglite, type TestDatabase } from '../databases/database.ts';
import { type Leak, refuseLeaks, rememberKeys, scan, scanTold, TOLD } from '../leaks/leak-scan.ts';
import { findLogFaults } from '../leaks/log-faults.ts';
import { REPOSITORY } from '../repository.ts';
import { copyEmbedded } from '../runner/embedded-template.ts';

/** The text of every message that these tests send: the log of no gateway may hold it. */
export const TEXT = 'Quiet harbour';

/** The content of `demo.json`. */
export interface Demo {
  readonly url: string;
  readonly accountId: string;
  readonly tokens: Readonly<Record<'unified' | 'sms' | 'otp' | 'management', string>>;
  readonly dashboard: { readonly email: string; readonly password: string };
}

/** How to start a gateway. */
export interface GatewayOptions {
  /** A folder that the test has, empty or not. Without one it gets its own, which is removed at the end of the test file. */
  readonly dataDir?: string;
  /** Whether the embedded database in its own folder is made by the start itself, which takes seconds, rather than copied. */
  readonly isFirstStart?: boolean;
  /** The folder of another installation of the gateway; absent: this one. */
  readonly installed?: string;
  readonly databaseUrl?: string;
  /** Settings beside those. Nothing of the environment of the tests but `PATH` reaches the gateway. */
  readonly env?: Readonly<Record<string, string>>;
  /** The user (and group) to run as; only root may set it. */
  readonly uid?: number;
  /** A command that starts it; `pid` and `kill` are then of that one. */
  readonly before?: readonly string[];
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A gateway that listens, in a process of its own. */
export interface Gateway {
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
  /** `demo.json`; null where the data directory has none. */
  readonly demo: Demo | null;
  /** Resolves when the log, which is written by the lot, or what stands beside it has something that matches. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
  stderr(): string;
  stdout(): string;
  /** Sends the signal; `exited` tells when it has ended. */
  kill(signal?: NodeJS.Signals): void;
  readonly exited: Promise<Exit>;
}

interface Run {
  readonly child: ChildProcess;
  readonly dataDir: string;
  readonly exited: Promise<Exit>;
  readonly operatorToken: string | undefined;
  /** Whether its database is the embedded one. */
  readonly isEmbedded: boolean;
  /** Ends what the scan for secrets knows of its keys. */
  readonly forgetKeys: () => void;
  stderr: string;
  stdout: string;
}

/** Processes on one database have one secret key, in whatever data directory they are. An empty one is as none. */
const SHARED_KEY = { SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };

const START_TIMEOUT_MS = 90_000;
const LISTENS = /^Heliograph listens on (\S+)/m;
const runs: Run[] = [];
const folders: string[] = [];
const databases: TestDatabase[] = [];

const answersNoted = TOLD.watchFetch();

const killAll = (): void => {
  for (const { child } of runs) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
};
process.once('exit', killAll);

/** Ends the gateways of a test file, and looks for what their logs, databases and answers must not hold. */
export async function endGateways(): Promise<void> {
  killAll();
  await Promise.all(runs.map(run => run.exited));
  const ended = runs.splice(0);
  const faults = ended.flatMap(run => findLogFaults(run.stderr, [TEXT, ...secretsOf(run)]));
  // Whatever is thrown, the next file of this worker finds nothing of this one.
  const [made, emptied] = [databases.splice(0), folders.splice(0)];
  try {
    const leaks = await findLeaks(ended);
    for (const database of made) await database.drop();
    expect(faults, 'what the logs of the gateways of this file must not hold').toEqual([]);
    refuseLeaks(leaks);
  } finally {
    for (const run of ended) run.forgetKeys();
    await Promise.all(emptied.map(folder => rm(folder, { recursive: true, force: true })));
  }
}

/** Codes in the embedded databases, the logs and the answers of this file. Other databases were looked at when they were dropped. */
async function findLeaks(ended: readonly Run[]): Promise<Leak[]> {
  await answersNoted();
  const listened = ended.filter(run => run.isEmbedded && LISTENS.test(run.stderr));
  const directories = new Set(listened.map(run => join(run.dataDir, 'database')).filter(existsSync));
  const leaks: Leak[] = [];
  for (const directory of directories) {
    const pglite = await PGlite.create({ dataDir: directory });
    leaks.push(...(await scan(readPglite(pglite))));
    await pglite.close();
  }
  for (const { child, stderr, stdout } of ended)
    TOLD.note(`the output of the gateway ${child.pid}`, `${stderr}\n${stdout}`);
  return [...leaks, ...scanTold()];
}

/** An empty folder of its own, whose path is unusual on purpose; removed at the end of the test file. */
export async function makeFolder(uid?: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'heliograph e2e ü ☀ '));
  folders.push(folder);
  if (uid !== undefined) await chown(folder, uid, uid);
  return folder;
}

/** Starts a gateway on a free port and waits until it says that it listens. @throws Error with its output, where it ends first */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const run = await launch(options);
  const [, url = ''] = await untilSaid(run, LISTENS);
  // A busy event loop may read the log first, though the output was written before it; that comes in the turn after.
  await setImmediate();
  await setImmediate();
  return {
    url,
    pid: run.child.pid ?? 0,
    dataDir: run.dataDir,
    demo: readDemo(run.dataDir),
    said: pattern => untilSaid(run, pattern),
    stderr: () => run.stderr,
    stdout: () => run.stdout,
    kill: signal => void run.child.kill(signal),
    exited: run.exited,
  };
}

/** A gateway with the demo account. */
export interface DemoGateway extends Gateway {
  readonly demo: Demo;
  /** Settings of a command that asks it, or its database where it runs no more. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Starts a gateway with the demo account, for tests that are not about the embedded database. PostgreSQL starts and works several times
 * faster: the gateway has a database there, which goes at the end of the test file. Embedded where there is only PGlite.
 */
export async function startDemoGateway(options: Pick<GatewayOptions, 'env'> = {}): Promise<DemoGateway> {
  if (inject('testDatabase').kind === 'pglite') {
    const gateway = await startGateway(options);
    if (!gateway.demo) throw new Error('the first start made no demo.json');
    return { ...gateway, demo: gateway.demo, env: { DATA_DIR: gateway.dataDir } };
  }
  const database = await createDatabase();
  databases.push(database);
  const databaseUrl = database.kind === 'postgres' ? database.url : '';
  const gateway = await startGateway({ ...options, databaseUrl });
  const env = { DATA_DIR: gateway.dataDir, DATABASE_URL: databaseUrl, ...SHARED_KEY, ...options.env };
  return { ...gateway, demo: await seedDemo(gateway), env };
}

/** Starts a gateway that is not expected to come up, on an empty folder unless told. Answers how it ended and what it said. */
export async function failToStart(options: GatewayOptions): Promise<Exit & { stderr: string; stdout: string }> {
  const run = await launch({ isFirstStart: true, ...options });
  const timer = setTimeout(() => run.child.kill('SIGKILL'), START_TIMEOUT_MS);
  const exit = await run.exited;
  clearTimeout(timer);
  return { ...exit, stderr: run.stderr, stdout: run.stdout };
}

async function launch(options: GatewayOptions): Promise<Run> {
  const {
    dataDir,
    databaseUrl,
    env: settings = {},
    uid,
    before = [],
    isFirstStart = false,
    installed = REPOSITORY,
  } = options;
  const env: Readonly<Record<string, string>> = { ...(databaseUrl === undefined ? {} : SHARED_KEY), ...settings };
  const isEmbedded = databaseUrl === undefined && env.DATABASE_URL === undefined;
  const folder = dataDir ?? (await makeFolder(uid));
  // A copy belongs to the user of the tests, so another user makes its own.
  if (dataDir === undefined && isEmbedded && !isFirstStart && uid === undefined) await copyEmbedded(folder);
  const [command = '', ...args] = [...before, process.execPath, join(installed, 'src/start.js')];
  const child = spawn(command, args, {
    // Not the project's own folder: nothing may depend on where the gateway is started.
    cwd: tmpdir(),
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: folder,
      LOG_LEVEL: 'debug',
      // Nobody cuts the power of these; the tests that do say so.
      EMBEDDED_DURABILITY: 'relaxed',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const exited = once(child, 'close').then(
    ([code, signal]: (number | string | null)[]): Exit => ({ code: code as number, signal: signal as NodeJS.Signals }),
  );
  const run: Run = {
    child,
    dataDir: folder,
    exited,
    operatorToken: env.OPERATOR_TOKEN,
    isEmbedded,
    forgetKeys: rememberKeys(() => keysOf(folder, env)),
    stderr: '',
    stdout: '',
  };
  runs.push(run);
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    run.stderr += chunk;
  });
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    run.stdout += chunk;
  });
  return run;
}

/** Waits until the standard error of a gateway matches, now or later. @throws Error with its output, where it ends first or takes too long */
function untilSaid(run: Run, pattern: RegExp): Promise<RegExpExecArray> {
  const { promise, resolve: said, reject } = Promise.withResolvers<RegExpExecArray>();
  const fail = (why: string): void => reject(new Error(`the gateway ${why} ${pattern}:\n${run.stderr.slice(-4_000)}`));
  const timer = setTimeout(() => fail(`did not say within ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS);
  const look = (): void => {
    const found = pattern.exec(run.stderr);
    if (found) said(found);
  };
  run.child.stderr?.on('data', look);
  look();
  void run.exited.then(({ code, signal }) => fail(`ended with ${code ?? signal} before it said`));
  return promise.finally(() => {
    clearTimeout(timer);
    run.child.stderr?.off('data', look);
  });
}

function readDemo(dataDir: string): Demo | null {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as Demo;
  } catch {
    return null;
  }
}

function secretsOf({ dataDir, operatorToken }: Run): string[] {
  const files = ['secret.key', 'operator.token'].flatMap(name => {
    try {
      return [readFileSync(join(dataDir, name), 'utf8').trim()];
    } catch {
      return [];
    }
  });
  const password = readDemo(dataDir)?.dashboard.password;
  return [...files, ...(operatorToken ? [operatorToken] : []), ...(password ? [password] : [])];
}

/** The keys of a gateway; null where it has none, or none that are good. */
function keysOf(dataDir: string, env: Readonly<Record<string, string>>): KeyRing | null {
  const file = join(dataDir, 'secret.key');
  const texts = [env.SECRET_KEY || (existsSync(file) ? readFileSync(file, 'utf8').trim() : '')];
  const [current, ...previous] = [...texts, ...(env.SECRET_KEY_PREVIOUS?.split(',') ?? [])]
    .map(text => decodeSecretKey(text.trim()))
    .filter(key => typeof key !== 'string');
  return current ? createKeyRing(current, previous) : null;
}

/** Asks the gateway something in GraphQL. @throws Error where the answer has errors */
export async function ask<Data>(
  gateway: Pick<Gateway, 'url'>,
  token: string,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<Data> {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: Data; errors?: unknown[] };
  if (errors) throw new Error(`GraphQL answered ${JSON.stringify(errors)}`);
  return data;
}

/** The operator's token, from the data directory. */
export async function operatorTokenOf(gateway: Pick<Gateway, 'dataDir'>): Promise<string> {
  return (await readFile(join(gateway.dataDir, 'operator.token'), 'utf8')).trim();
}

/** Makes the demo account on a database that is not the embedded one, and answers what opens it. */
export async function seedDemo(gateway: Gateway): Promise<Demo> {
  const query = 'mutation { seedDemo { url accountId tokens dashboard } }';
  return (await ask<{ seedDemo: Demo }>(gateway, await operatorTokenOf(gateway), query)).seedDemo;
}

/** The answer to `POST /api/omni/send`. */
export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: { code?: string; data?: { messageId: string; status: string; channel: string | null } };
}

/** Sends a message over REST; an SMS of the demo account to the sandbox unless told otherwise. */
export async function send(gateway: Pick<Gateway, 'url'>, token: string, request: object = {}): Promise<Sent> {
  const response = await fetch(`${gateway.url}/api/omni/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: '+12025550100', text: TEXT, channels: ['sms'], sender: 'DEMO', ...request }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as Sent['body'] };
}

/** How long `until` rests between two questions: one after the other, they would take the processor from the work that is waited for. */
const REST_MS = 20;

/** Asks again and again until the answer is not null, and gives it. @throws when the time is over. */
export async function until<Answer>(what: string, question: () => Promise<Answer | null>, timeoutMs = 30_000) {
  const endsAtMs = performance.now() + timeoutMs;
  for (;;) {
    const answer = await question();
    if (answer !== null) return answer;
    if (performance.now() > endsAtMs) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await wait(REST_MS);
  }
}

/** Sends until a token is refused. Resolves with how long it was let in, in milliseconds, by when the last such send began. */
export async function untilRefused(gateway: Gateway, token: string): Promise<number> {
  const startedMs = performance.now();
  let letInMs = 0;
  const status = await until('the token is refused', async () => {
    const askedMs = performance.now();
    const sent = await send(gateway, token);
    if (sent.status === 200) letInMs = askedMs - startedMs;
    return sent.status === 200 ? null : sent.status;
  });
  if (status !== 401) throw new Error(`refused with ${status}`);
  return letInMs;
}
