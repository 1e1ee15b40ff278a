/** The driver of QR-linked chats: one process for all numbers, from the first that is opened until the last is closed. */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBuilt } from '../../kernel/process/built.js';
import type { Command, News } from './driver/protocol.ts';

/** The package that the operator installs, and its version. */
export const LIBRARY = 'baileys@7.0.0-rc14';

/** The command that installs it. Accounts read it as an error of a connection, so the folder goes by the name of its setting. */
const INSTALL_COMMAND = `npm install --prefix <CHAT_QR_DIR> ${LIBRARY}`;

/** News of one number, with what says that the driver is gone. */
export type NumberNews = News | { readonly type: 'gone' };

/** The version that is installed in a folder; null: none is. */
function installedVersion(folder: string): string | null {
  try {
    const text = readFileSync(join(folder, 'node_modules', 'baileys', 'package.json'), 'utf8');
    return String(JSON.parse(text).version);
  } catch {
    return null;
  }
}

/** Why no driver can run with the library of a folder, in a sentence that says what to do; null: one can. */
export function libraryFault(folder: string): string | null {
  const version = installedVersion(folder);
  const mend = `On the gateway's machine: ${INSTALL_COMMAND}`;
  if (version === null) return `The library of QR-linked chats is not installed. ${mend}`;
  if (LIBRARY !== `baileys@${version}`) return `The library of QR-linked chats has the version ${version}. ${mend}`;
  return driverOf(folder).isBroken ? `The library of QR-linked chats does not start. ${mend}` : null;
}

/**
 * The flags of the driver. A link makes hundreds of keys at once: with Node's own 16 MB for what is new, the process keeps that room for good.
 */
export const DRIVER_FLAGS = ['--max-semi-space-size=2'];

/** The variables that the driver and its library see: the settings of the gateway hold its keys. Node's own say which certificates are trusted. */
const VARIABLES = [
  ...['PATH', 'TZ', 'LD_LIBRARY_PATH', 'NODE_OPTIONS'],
  ...['NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['CHAT_QR_SERVER', 'CHAT_QR_ROOT'],
];

/** A driver that ends so often before it is ready does not start. */
const STARTS_MAX = 3;

/** How long a driver that does not start is left alone. */
const BROKEN_MS = 300_000;

/** Answers what the driver asked, and nobody else: its calls are counted anew in the next one. */
export type Reply = (command: Extract<Command, { type: 'answer' | 'refusal' }>) => void;

/** Answers a question of the driver, which waits for it: what could not be done must not be built on. */
export function answer(reply: Reply, call: number, work: Promise<unknown>): void {
  work.then(
    values => reply({ type: 'answer', call, values: (values as Record<string, string> | undefined) ?? null }),
    () => reply({ type: 'refusal', call, isUnheard: false }),
  );
}

type Listener = (news: NumberNews, reply: Reply) => void;

/** The driver of one folder. */
class Driver {
  readonly #folder: string;
  readonly #numbers = new Map<string, Listener>();
  readonly #calls = new Map<number, (news: NumberNews) => void>();
  #child: ChildProcess | null = null;
  #lastCall = 0;
  /** How often it has ended before it was ready. */
  #failedStarts = 0;
  #brokenUntilMs = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether it does not start. */
  get isBroken(): boolean {
    return performance.now() < this.#brokenUntilMs;
  }

  /** Tells of a number from now on, until the returned function is called. */
  attach(connectionId: string, onNews: Listener): () => void {
    this.#numbers.set(connectionId, onNews);
    return () => {
      if (this.#numbers.get(connectionId) === onNews) this.#numbers.delete(connectionId);
      if (this.#numbers.size > 0) return;
      this.#child?.disconnect();
      this.#child = null;
      this.#endCalls();
    };
  }

  /** Tells the driver something. To open a number starts one where none runs; without one there is nobody to tell anything else. */
  tell(command: Command): void {
    if (command.type === 'open') this.#child ??= this.#start();
    // A driver that ends just now is told of by its exit.
    this.#child?.send(command, () => undefined);
    if (!this.#child && command.type === 'close') this.#numbers.get(command.connectionId)?.({ type: 'gone' }, unheard);
  }

  /** Asks the driver something, and resolves with its answer; `gone`: it ended before. */
  ask(make: (call: number) => Command): Promise<NumberNews> {
    const call = ++this.#lastCall;
    if (!this.#child) return Promise.resolve({ type: 'gone' });
    const { promise, resolve } = Promise.withResolvers<NumberNews>();
    this.#calls.set(call, resolve);
    this.tell(make(call));
    return promise.finally(() => this.#calls.delete(call));
  }

  #start(): ChildProcess {
    // Its output may hold keys: nobody reads it.
    const child = fork(programOf(), [this.#folder], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: DRIVER_FLAGS,
      // All of it would stand in /proc, whatever the driver deletes.
      env: Object.fromEntries(VARIABLES.map(name => [name, process.env[name]])),
    });
    const reply: Reply = command => {
      if (child === this.#child) child.send(command, () => undefined);
    };
    let isReady = false;
    child.on('message', message => {
      isReady = true;
      if (child === this.#child) this.#hear(message as News, reply);
    });
    const end = (): void => {
      if (child !== this.#child) return;
      this.#child = null;
      this.#failedStarts = isReady ? 0 : this.#failedStarts + 1;
      if (this.#failedStarts >= STARTS_MAX) this.#brokenUntilMs = performance.now() + BROKEN_MS;
      this.#endCalls();
      for (const tell of this.#numbers.values()) tell({ type: 'gone' }, unheard);
    };
    child.on('exit', end);
    child.on('error', end);
    return child;
  }

  #endCalls(): void {
    for (const resolve of this.#calls.values()) resolve({ type: 'gone' });
  }

  #hear(news: News, reply: Reply): void {
    if (news.type === 'sent' || news.type === 'limits') this.#calls.get(news.call)?.(news);
    else if (news.type !== 'ready') (this.#numbers.get(news.connectionId) ?? refuse)(news, reply);
  }
}

const unheard: Reply = () => undefined;

/** Refuses what is asked of a number that nobody hears: without an answer the driver would wait for ever, and tell nothing again. */
const refuse: Listener = (news, reply) => {
  if ('call' in news) reply({ type: 'refusal', call: news.call, isUnheard: true });
};

/** The program: as it was built, else its source. */
function programOf(): string {
  const built = findBuilt();
  return fileURLToPath(built ? new URL('chat-qr-driver.js', built) : new URL('driver/main.ts', import.meta.url));
}

const drivers = new Map<string, Driver>();

/** The driver of this process with the library of a folder. */
export function driverOf(folder: string): Driver {
  const driver = drivers.get(folder) ?? new Driver(folder);
  drivers.set(folder, driver);
  return driver;
}
