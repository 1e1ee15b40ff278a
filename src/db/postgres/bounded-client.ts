/** Connections with a time-out for each statement: a hanging server would block its callers for ever. Overdue ones are destroyed. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Client, type ClientConfig } from 'pg';
import { OverdueError, sqlState } from '../statements/sql.ts';
import type { PostgresSocket } from './postgres-socket.ts';

/** The default time-out of a statement: shorter than a request's, so that the caller still gets an answer. */
const STATEMENT_MS = 8_000;

/** Time-outs of statements that may take longer, in milliseconds. */
export const PATIENCE_MS = {
  /** Jobs and the queue: slightly longer than PostgreSQL's default `statement_timeout` here. */
  job: 65_000,
  /** Statements that read whole tables. */
  wholeTables: 15 * 60_000,
  /** A migration may take hours. TCP keep-alive detects a lost server. */
  migration: 24 * 60 * 60_000,
} as const;

const patience = new AsyncLocalStorage<number>();

/** Runs `run` with a time-out of `ms` milliseconds for each of its statements. */
export function patiently<Result>(ms: number, run: () => Result): Result {
  return patience.run(ms, run);
}

/** The time-out of the caller's statements, in milliseconds. */
export function patienceMs(): number {
  return patience.getStore() ?? STATEMENT_MS;
}

/** Awaits an answer for at most `ms` milliseconds; a later one is ignored. @throws OverdueError */
export async function answeredIn<Result>(ms: number, answer: Promise<Result>): Promise<Result> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(new OverdueError()), ms);
  try {
    return await Promise.race([answer, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The SQLSTATE of a server that refuses writes: a demoted primary stays one for its open connections. */
const READ_ONLY = '25006';

type Dial = () => PostgresSocket;

/** The code of a PostgreSQL CancelRequest. */
const CANCEL_CODE = 80_877_102;

/** Members that the driver's types leave out. */
declare module 'pg' {
  interface Client {
    /** Null until the session is open. */
    readonly processID: number | null;
    readonly secretKey: number;
  }
}

/** Destroyed when a statement is overdue, and closed after the server refused a write. */
export class BoundedClient extends Client {
  #timer: NodeJS.Timeout | null = null;
  readonly #dial: Dial | undefined;

  constructor(config?: string | ClientConfig) {
    super(config);
    this.#dial = typeof config === 'object' ? (config.stream as Dial | undefined) : undefined;
    // Waiting queries get the error; without a listener it would end the process.
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
    // Restart the timer: in a busy pool `drain` may not come between two statements.
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#cut(), config?.patienceMs ?? patienceMs()).unref();
    const result: unknown = super.query(config, values, callback);
    return result instanceof Promise ? result.catch(error => this.#fail(error)) : result;
  }

  /** Ends the connection without waiting for the server, which may be gone. */
  drop(): void {
    this.connection.stream.destroy();
  }

  #cut(): void {
    if (this.processID !== null) this.#cancel(this.processID, this.secretKey);
    this.connection.stream.destroy(new OverdueError());
  }

  /** Sends a CancelRequest on a new connection, so that a live server stops the abandoned statement. */
  #cancel(processID: number, secretKey: number): void {
    const request = Buffer.alloc(16);
    for (const [index, value] of [request.length, CANCEL_CODE, processID, secretKey].entries())
      request.writeInt32BE(value, index * 4);
    const stream = this.#dial?.();
    // The server does not answer; it just closes the connection.
    stream?.on('error', () => undefined).once('connect', () => stream.write(request));
    stream?.connect();
  }

  #fail(error: unknown): never {
    // The pool drops it when it is returned; further statements of its transaction fail, which rolls that back.
    if (sqlState(error) === READ_ONLY) void this.end().catch(() => undefined);
    throw error;
  }
}
