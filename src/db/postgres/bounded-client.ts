/**
 * Connections that give a statement so much time and no more. A server that hangs (stopped, swapped out, behind a dead network) says
 * nothing: what waits for it would wait for ever. A connection whose answer is overdue is cut, so that nobody is given it again.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import { OverdueError, sqlState } from '../statements/sql.ts';
import type { PostgresSocket } from './postgres-socket.ts';

/** How long the answer to a statement is waited for: less than the time of a request, so that it can still be told. */
const STATEMENT_MS = 8_000;

/** How long what takes its time waits for a statement, in milliseconds. */
export const PATIENCE_MS = {
  /** A job, and the queue: somewhat longer than PostgreSQL lets a statement run unless told otherwise. */
  job: 65_000,
  /** What reads whole tables. */
  wholeTables: 15 * 60_000,
  /** A migration may take hours. That its server is gone is noticed by the system. */
  migration: 24 * 60 * 60_000,
} as const;

const patience = new AsyncLocalStorage<number>();

/** Runs what may take long: its statements are waited for by `ms` milliseconds. */
export function patiently<Result>(ms: number, run: () => Result): Result {
  return patience.run(ms, run);
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

/** Opens one more way to the server. */
type Dial = () => PostgresSocket;

/** Asks a server to end what another connection runs. */
const CANCEL_CODE = 80_877_102;

/** What the driver keeps and does not declare. */
interface Internals {
  readonly connection: { readonly stream: Socket };
  /** Null until the session is open. */
  readonly processID: number | null;
  readonly secretKey: number;
}

/** A connection that is cut when a statement is overdue, and not used again after the server refused to write. */
export class BoundedClient extends Client {
  #timer: NodeJS.Timeout | null = null;
  readonly #dial: Dial | undefined;

  constructor(config?: string | ClientConfig) {
    super(config);
    this.#dial = typeof config === 'object' ? (config.stream as Dial | undefined) : undefined;
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
    const { connection, processID, secretKey } = this as unknown as Internals;
    if (processID !== null) this.#cancel(processID, secretKey);
    connection.stream.destroy(new OverdueError());
  }

  /** A server that lives, and does not notice that nobody waits any more, is told to end the statement; on a connection of its own. */
  #cancel(processID: number, secretKey: number): void {
    const request = Buffer.alloc(16);
    for (const [index, value] of [request.length, CANCEL_CODE, processID, secretKey].entries())
      request.writeInt32BE(value, index * 4);
    const stream = this.#dial?.();
    // The server answers nothing, and closes.
    stream?.on('error', () => undefined).once('connect', () => stream.write(request));
    stream?.connect();
  }

  #fail(error: unknown): never {
    // Ended as soon as it is given back; what its transaction still wants fails, which rolls it back as well.
    if (sqlState(error) === READ_ONLY) void this.end().catch(() => undefined);
    throw error;
  }
}
