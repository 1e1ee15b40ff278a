/**
 * Keeps rows in a process that change seldom. They are read at the start, whenever a change is announced, each minute, and every
 * two seconds while nothing is heard. Many rows may be told by their changes instead.
 */
import type { Database } from '../orm.ts';
import { runSql, type Sql } from '../statements/sql.ts';

/** How often it is read again, whatever was heard: a notice can be missed. */
const READ_AGAIN_MS = 60_000;

/** When a reading that failed is tried again. */
const RETRY_MS = 1_000;

interface LiveReadingParts {
  readonly database: Database;
  /** The channel of NOTIFY on which changes are announced. */
  readonly channel: string;
  /** Told each change by its payload: all is then read again only where some may be missed. Absent: the payload says nothing. */
  hear?(payload: string): void;
  /** Reads, and keeps what it has read; one reading is under way at a time. An error leaves all as it was. */
  read(): Promise<void>;
  /** Told what could not be read again. */
  onError(error: unknown): void;
}

/** Makes the function that announces a change on a channel. Listeners hear it when the transaction of the unit of work commits. */
export function announcing(channel: string): (em: { getKysely(): Sql }) => Promise<void> {
  return async em => void (await runSql(em.getKysely(), 'select pg_notify($1, $2)', [channel, '']));
}

/** Keeps reading, from when it is opened until it is closed. */
export class LiveReading {
  readonly #parts: LiveReadingParts;
  #loading: Promise<void> | null = null;
  #isStale = false;
  #wasRead = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | null = null;
  #unlisten: () => Promise<void> = async () => undefined;

  constructor(parts: LiveReadingParts) {
    this.#parts = parts;
  }

  /** Reads for the first time, and listens. @throws errors of the database; then it is closed */
  async open(): Promise<void> {
    const { database, channel, hear } = this.#parts;
    const again = (): void => void this.refresh().catch(() => undefined);
    this.#unlisten = await database.listen(channel, hear ?? again, again);
    await this.refresh().catch(async (error: unknown) => {
      await this.close();
      throw error;
    });
  }

  /** Reads again; calls that come together share one reading that begins after the last of them. @throws errors of the database */
  refresh(): Promise<void> {
    this.#isStale = true;
    if (this.#loading) return this.#loading;
    const loading = this.#load();
    this.#loading = loading;
    loading.then(
      () => this.#readLater(this.#parts.hear ? null : READ_AGAIN_MS),
      (error: unknown) => {
        // Whoever opens it is told of the first.
        if (this.#wasRead && !this.#isClosed) this.#parts.onError(error);
        this.#readLater(RETRY_MS);
      },
    );
    return loading;
  }

  /** Reads no more, once what is under way has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#unlisten();
    await this.#loading?.catch(() => undefined);
  }

  #readLater(ms: number | null): void {
    if (this.#timer) clearTimeout(this.#timer);
    if (ms !== null && !this.#isClosed)
      this.#timer = setTimeout(() => this.refresh().catch(() => undefined), ms).unref();
  }

  async #load(): Promise<void> {
    try {
      while (this.#isStale && !this.#isClosed) {
        this.#isStale = false;
        await this.#parts.read();
        this.#wasRead = true;
      }
    } finally {
      // At once: a call that comes now begins the next reading.
      this.#loading = null;
    }
  }
}
