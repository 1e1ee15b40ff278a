/**
 * Connections that give a statement so much time and no more. A server that hangs (stopped, swapped out, behind a dead network) says
 * nothing: what waits for it would wait for ever. A connection whose answer is overdue is cut, so that nobody is given it again.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import { OverdueError, sqlState } from './sql.ts';

/** How long the answer to a statement is waited for: less than the time of a request, so that it can still be told. */
const STATEMENT_MS = 8_000;

/** The same for what is known to take long: migrations, and jobs that read whole tables. */
const PATIENT_MS = 15 * 60_000;

const patience = new AsyncLocalStorage<number>();

/** Runs what may take long: its statements are waited for by the quarter of an hour. */
export function patiently<Result>(run: () => Result): Result {
  return patience.run(PATIENT_MS, run);
}

/** How long the statements of the caller are waited for, in milliseconds. */
export function patienceMs(): number {
  return patience.getStore() ?? STATEMENT_MS;
}

/** The answer of the database, if it comes within so many milliseconds. What comes later is nobody's. @throws OverdueError */
export async function answeredIn<Result>(ms: number, answer: Promise<Result>): Promise<Result> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(new OverdueError()), ms);
  try {
    return await Promise.race([answer, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The SQLSTATE of a server that takes no writes: a demoted primary stays one for the connections that it has. */
const READ_ONLY = '25006';

/** A connection that is cut when a statement is overdue, and not used again after the server refused to write. */
export class BoundedClient extends Client {
  #timer: NodeJS.Timeout | null = null;

  constructor(config?: string | ClientConfig) {
    super(config);
    // What is cut is told to who waits; without a listener the process would end.
    this.on('error', () => undefined);
    const rest = (): void => {
      if (this.#timer) clearTimeout(this.#timer);
      this.#timer = null;
    };
    this.on('drain', rest);
    this.on('end', rest);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the driver's overloads are many, and none of them matters here.
  override query(config: any, values?: any, callback?: any): any {
    // From the last statement on: in a busy pool one follows another within the same turn.
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#cut(), config?.patienceMs ?? patienceMs()).unref();
    const result: unknown = super.query(config, values, callback);
    return result instanceof Promise ? result.catch(error => this.#fail(error)) : result;
  }

  #cut(): void {
    const { stream } = (this as unknown as { connection: { stream: Socket } }).connection;
    stream.destroy(new OverdueError());
  }

  #fail(error: unknown): never {
    // Ended as soon as it is given back; what its transaction still wants fails, which rolls it back as well.
    if (sqlState(error) === READ_ONLY) void this.end().catch(() => undefined);
    throw error;
  }
}
