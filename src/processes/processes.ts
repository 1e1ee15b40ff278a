/** The processes that serve one port. The first process starts them, replaces one that dies, and exchanges all of them one by one on SIGHUP. */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../observability/logger.ts';
import { isListening, type Leave } from './messages.ts';

/** A process that was asked to end has ended by itself after 30 s; one that cannot even do that is killed. */
const KILL_AFTER_MS = 35_000;

/**
 * How long a process may take until it listens. A start takes seconds, and of its waits the longest is one of 65 s for the queue. A migration may take longer,
 * and is run before an exchange.
 */
export const START_MS = 5 * 60_000;

/** How long a process that could not start is waited for before the next try, at first and at most. */
const AGAIN_MS = { first: 1_000, most: 30_000 } as const;

/** A process that ended before it listened has said why itself. */
class DidNotStart extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('it ended before it listened');
    this.exitCode = exitCode;
  }
}

/** The processes of this gateway; they run the same program as this one. */
export class Processes {
  readonly #log: Logger;
  readonly #serving = new Set<Worker>();
  /** Processes that do not listen yet. */
  readonly #starting = new Set<Worker>();
  /** The ends of processes that leave, which finish what they have in flight. */
  readonly #leaving = new Set<Promise<void>>();
  #rolled: Promise<void> = Promise.resolve();
  #isEnding = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** The processes that serve now. */
  serving(): readonly Worker[] {
    return [...this.#serving];
  }

  /** Starts so many, the first one alone, as it may have to make the tables. Answers where they listen, or the exit status of one that could not start. */
  async start(count: number): Promise<{ readonly url: string } | { readonly exitCode: number }> {
    try {
      const { url } = await this.#begin('waited for');
      await Promise.all(Array.from({ length: count - 1 }, () => this.#begin()));
      return { url };
    } catch (error) {
      if (!(error instanceof DidNotStart)) throw error;
      await this.end();
      return { exitCode: error.exitCode };
    }
  }

  /** Exchanges each process for a new one, which runs what is installed now. The others stay if a new one does not start. */
  exchange(): void {
    this.#rolled = this.#rolled.then(async () => {
      const before = [...this.#serving];
      this.#log.info({ event: 'processes_exchange', count: before.length }, 'each process is exchanged for a new one');
      for (const worker of before) {
        if (this.#isEnding || !this.#serving.has(worker)) continue;
        let added: Worker;
        try {
          added = (await this.#begin()).worker;
        } catch (error) {
          this.#log.error(
            { err: error, event: 'processes_kept' },
            'a new process did not start: the others stay as they are',
          );
          return;
        }
        // One that died meanwhile has its place taken already.
        await this.#take(this.#serving.has(worker) ? worker : added, 'leave');
      }
      this.#log.info({ event: 'processes_exchanged' }, 'all processes are new');
    });
  }

  /** Ends all, and waits until they have ended. */
  async end(): Promise<void> {
    this.#isEnding = true;
    const taken = [...this.#serving, ...this.#starting].map(worker => this.#take(worker, 'stop'));
    // Those that leave are killed at the end of their own time, which began before.
    await Promise.all([...taken, ...this.#leaving]);
  }

  /** Starts one, and answers where it listens. The first of a start is waited for if it hangs, as a migration may take hours. @throws DidNotStart */
  async #begin(ifHung: 'ended' | 'waited for' = 'ended'): Promise<{ readonly worker: Worker; readonly url: string }> {
    if (this.#isEnding) throw new DidNotStart(0);
    const worker = cluster.fork();
    this.#starting.add(worker);
    const { promise, resolve, reject } = Promise.withResolvers<{ worker: Worker; url: string }>();
    worker.on('message', message => {
      // A process that was asked to end meanwhile is in no set any more.
      if (!isListening(message) || !this.#starting.delete(worker)) return;
      this.#serving.add(worker);
      resolve({ worker, url: message.url });
    });
    // Without a listener this would end the first process too. A process that was never there does not end either.
    worker.on('error', error => {
      const { pid } = worker.process;
      this.#log.error({ err: error, event: 'process_unreachable', pid }, 'a process cannot be reached');
      if (pid === undefined && this.#starting.delete(worker)) reject(new DidNotStart(1));
    });
    worker.once('exit', (code: number | null, signal: string | null) => {
      if (this.#starting.delete(worker)) reject(new DidNotStart(code ?? 1));
      if (this.#serving.delete(worker)) void this.#replace(worker, code ?? signal);
    });
    const timer = setTimeout(() => this.#hang(worker, ifHung), START_MS);
    return await promise.finally(() => clearTimeout(timer));
  }

  /** Says that one hangs before it listens, and ends it; it has nothing in hand. */
  #hang(worker: Worker, ifHung: 'ended' | 'waited for'): void {
    const about = { pid: worker.process.pid, afterMs: START_MS };
    if (ifHung === 'waited for') {
      this.#log.warn({ event: 'process_slow', ...about }, 'the first process does not listen yet: it is waited for');
      return;
    }
    this.#log.error({ event: 'process_hangs', ...about }, 'a process did not listen in time: it is ended');
    worker.process.kill('SIGKILL');
  }

  /** Ends one, and waits until it has ended. Nothing takes its place. */
  async #take(worker: Worker, how: 'leave' | 'stop'): Promise<void> {
    this.#serving.delete(worker);
    this.#starting.delete(worker);
    if (worker.isDead() || worker.process.pid === undefined) return;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    worker.once('exit', () => resolve());
    if (how === 'leave') {
      this.#leaving.add(ended);
      worker.send({ type: 'heliograph:leave' } satisfies Leave);
    } else worker.process.kill('SIGTERM');
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), KILL_AFTER_MS);
    await ended;
    clearTimeout(timer);
    this.#leaving.delete(ended);
  }

  /** Starts another one in the place of one that died, until one listens. */
  async #replace(worker: Worker, how: number | string | null): Promise<void> {
    const pid = worker.process.pid;
    this.#log.error({ event: 'process_died', pid, how }, 'a process has died: another one takes its place');
    for (let waitMs: number = AGAIN_MS.first; !this.#isEnding; waitMs = Math.min(waitMs * 2, AGAIN_MS.most)) {
      try {
        await this.#begin();
        this.#log.info({ event: 'process_replaced', pid }, 'another process has taken the place of the one that died');
        return;
      } catch {
        this.#log.error({ event: 'process_not_replaced', retryInMs: waitMs }, 'a process could not start');
        await delay(waitMs);
      }
    }
  }
}
