/** The driver of QR-linked chats: one process for all numbers, from the first that is opened until the last is closed. */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBuilt } from '../../kernel/process/built.ts';
import type { Command, News } from './driver/protocol.ts';

/** The package that the operator installs, and its version. */
export const LIBRARY = 'baileys@7.0.0-rc14';

/** News of one number, with what says that the driver is gone. */
export type NumberNews = News | { readonly type: 'gone' };

/** Whether the library is installed in a folder. */
export function hasLibrary(folder: string): boolean {
  return existsSync(join(folder, 'node_modules', 'baileys', 'package.json'));
}

/** The command that installs it. */
export function installCommand(folder: string): string {
  return `npm install --prefix ${JSON.stringify(folder)} ${LIBRARY}`;
}

/** The driver of one folder. */
class Driver {
  readonly #folder: string;
  readonly #numbers = new Map<string, (news: NumberNews) => void>();
  readonly #calls = new Map<number, (news: NumberNews) => void>();
  #child: ChildProcess | null = null;
  #lastCall = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Tells of a number from now on, until the returned function is called. */
  attach(connectionId: string, onNews: (news: NumberNews) => void): () => void {
    this.#numbers.set(connectionId, onNews);
    return () => {
      if (this.#numbers.get(connectionId) === onNews) this.#numbers.delete(connectionId);
      if (this.#numbers.size > 0) return;
      this.#child?.disconnect();
      this.#child = null;
    };
  }

  /** Tells the driver something, and starts it where none runs. */
  tell(command: Command): void {
    this.#child ??= this.#start();
    // A driver that ends just now is told of by its exit.
    this.#child.send(command, () => undefined);
  }

  /** Asks the driver something, and resolves with its answer; `gone`: it ended before. */
  ask(make: (call: number) => Command): Promise<NumberNews> {
    const call = ++this.#lastCall;
    return new Promise(resolve => {
      this.#calls.set(call, news => {
        this.#calls.delete(call);
        resolve(news);
      });
      this.tell(make(call));
    });
  }

  #start(): ChildProcess {
    // Its output may hold keys: nobody reads it.
    const child = fork(programOf(), [this.#folder], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
    });
    child.on('message', message => {
      if (child === this.#child) this.#hear(message as News);
    });
    const end = (): void => {
      if (child !== this.#child) return;
      this.#child = null;
      for (const tell of [...this.#calls.values(), ...this.#numbers.values()]) tell({ type: 'gone' });
    };
    child.on('exit', end);
    child.on('error', end);
    return child;
  }

  #hear(news: News): void {
    if (news.type === 'sent' || news.type === 'limits') this.#calls.get(news.call)?.(news);
    else if (news.type !== 'ready') this.#numbers.get(news.connectionId)?.(news);
  }
}

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
