/** Live feeds of new rows, announced by NOTIFY: a process loads each once, however many followers it has. */
import { fromUuid, type IdPrefix, isUuid, parseId } from '../../kernel/ids.ts';
import { unavailable } from '../batch.ts';
import type { Database } from '../orm.ts';
import { perDatabase } from '../per-database.ts';
import { AGAIN } from '../statements/id-payloads.ts';
import { isUnavailable } from '../statements/sql.ts';
import { type FeedRow, type Interest, Subscription } from './subscription.ts';

/** The most rows that one query loads. */
const LOAD_SIZE_MAX = 1_000;

/** The most announced ids that wait for a slow database; beyond, rows are read again by time. */
const WAITING_MAX = 20_000;

/** How many rows, or versions of them, are remembered, so that none is handed over twice. */
const SEEN_MAX = 20_000;

/** The most rows of an account that are read again. */
const READ_AGAIN_MAX = 5_000;

/** A row may be so much older than its announcement: commit time and clock differences. */
const COMMIT_MS = 5_000;

/** The wait before a retry when the database is unavailable. */
const RETRY_DELAY_MS = 500;

interface FeedSource<Row extends FeedRow> {
  /** The channel of NOTIFY; its payload are ids or uuids, joined by commas, behind `AGAIN` those to hand over once more. */
  readonly channel: string;
  readonly prefix: IdPrefix;
  /** Loads the existing rows of these ids and accounts, in any order. */
  load(database: Database, ids: readonly string[], accountIds: readonly string[]): Promise<Row[]>;
  /** Loads the newest rows of an account since `since`, the newest first. */
  loadSince(database: Database, accountId: string, since: Date, limit: number): Promise<Row[]>;
  /** When a row happened; null: not yet. */
  happenedAt(row: Row): Date | null;
  /** The version of a row, which is handed over once; absent: its id. */
  versionOf?(row: Row): string;
}

/** A row that was announced. */
interface Announced {
  readonly id: string;
  /** Whether it is handed over though it was before. */
  readonly isAgain: boolean;
}

const openedOf = perDatabase((): { close(): Promise<void> }[] => []);

/** Defines a feed. Each open database has one instance, which listens while it has followers. */
export function defineFeed<Row extends FeedRow>(source: FeedSource<Row>): (database: Database) => Feed<Row> {
  return perDatabase(database => {
    const feed = new Feed(database, source);
    openedOf(database).push(feed);
    return feed;
  });
}

/** Ends every follower of every feed of a database. */
export async function closeFeeds(database: Database): Promise<void> {
  await Promise.all(openedOf(database).map(feed => feed.close()));
}

/** The feed of one kind of row in this process. */
export class Feed<Row extends FeedRow> {
  readonly #database: Database;
  readonly #source: FeedSource<Row>;
  readonly #followers = new Set<Subscription<Row>>();
  #listening: Promise<() => Promise<void>> | null = null;
  #closing: Promise<unknown> = Promise.resolve();
  #waiting: Announced[] = [];
  #hasGap = false;
  #isPumping = false;
  #retry: NodeJS.Timeout | null = null;
  /** When the last announcement came, by the database's clock, which dates the rows. */
  #heardAt: Date;
  /** All rows announced before this time were handed over: reading again starts here. */
  #completeAt: Date;
  /** Two generations of versions; the older one is dropped as a whole. */
  #seen = new Set<string>();
  #seenBefore = new Set<string>();

  constructor(database: Database, source: FeedSource<Row>) {
    this.#database = database;
    this.#source = source;
    this.#heardAt = database.clock.now();
    this.#completeAt = this.#heardAt;
  }

  /**
   * Follows the rows of an account that are announced from now on, until the signal aborts, the iterator returns or the feed closes.
   * After a lost connection some may come twice. Beyond 1,000 waiting rows the oldest is left out. @throws AppError `database_unavailable`
   */
  async subscribe(interest: Interest<Row>, signal: AbortSignal): Promise<Subscription<Row>> {
    const since = this.#database.clock.now();
    const follower = new Subscription(interest, signal, { since, onEnd: ended => this.#remove(ended) });
    if (follower.isEnded) return follower;
    this.#followers.add(follower);
    this.#listening ??= this.#listen();
    try {
      await this.#listening;
    } catch (error) {
      follower.end();
      throw isUnavailable(error) ? unavailable(error) : error;
    }
    return follower;
  }

  /** Ends every follower and stops listening. */
  async close(): Promise<void> {
    for (const follower of this.#followers) follower.end();
    await this.#closing;
  }

  async #listen(): Promise<() => Promise<void>> {
    await this.#closing;
    this.#heardAt = this.#database.clock.now();
    this.#completeAt = this.#heardAt;
    return this.#database.listen(
      this.#source.channel,
      payload => this.#hear(payload),
      () => {
        this.#hasGap = true;
        void this.#pump();
      },
    );
  }

  #remove(follower: Subscription<Row>): void {
    this.#followers.delete(follower);
    this.#closing = both(this.#closing, follower.ending);
    if (this.#followers.size > 0) return;
    const stopped = this.#listening?.then(stop => stop()).catch(() => undefined);
    this.#listening = null;
    this.#closing = both(this.#closing, stopped);
    if (this.#retry) clearTimeout(this.#retry);
    this.#retry = null;
    this.#waiting = [];
    this.#hasGap = false;
  }

  #hear(payload: string): void {
    if (this.#followers.size === 0) return;
    this.#heardAt = this.#database.clock.now();
    // Any database client can notify, so payloads that are no ids are ignored.
    const isAgain = payload.startsWith(AGAIN);
    const rows = payload
      .slice(isAgain ? AGAIN.length : 0)
      .split(',')
      .flatMap(text => this.#readId(text) ?? [])
      .map(id => ({ id, isAgain }));
    if (this.#waiting.length + rows.length > WAITING_MAX) {
      this.#waiting = [];
      this.#hasGap = true;
    } else if (!this.#hasGap) this.#waiting.push(...rows);
    void this.#pump();
  }

  #readId(text: string): string | null {
    return isUuid(text) ? fromUuid(this.#source.prefix, text) : parseId(this.#source.prefix, text);
  }

  /** Loads and hands over announced rows in order; only one run at a time. */
  async #pump(): Promise<void> {
    if (this.#isPumping || this.#retry) return;
    this.#isPumping = true;
    try {
      while (this.#followers.size > 0 && (this.#hasGap || this.#waiting.length > 0)) {
        if (this.#hasGap) {
          this.#hasGap = false;
          await this.#readAgain();
        } else await this.#load(this.#waiting.splice(0, LOAD_SIZE_MAX));
      }
    } catch (error) {
      this.#recover(error);
    } finally {
      this.#isPumping = false;
    }
  }

  #recover(error: unknown): void {
    if (!isUnavailable(error)) {
      for (const follower of this.#followers) follower.fail(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (this.#followers.size === 0) return;
    this.#waiting = [];
    this.#hasGap = true;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      void this.#pump();
    }, RETRY_DELAY_MS).unref();
  }

  async #load(announced: readonly Announced[]): Promise<void> {
    const completeAt = this.#waiting.length === 0 ? this.#heardAt : this.#completeAt;
    const found = await this.#source.load(
      this.#database,
      announced.map(({ id }) => id),
      this.#accountIds(),
    );
    const byId = new Map(found.map(row => [row.id, row]));
    for (const { id, isAgain } of announced) {
      const row = byId.get(id);
      // The row may have been read again before its announcement.
      if (!row || (this.#hasSeen(row) && !isAgain)) continue;
      this.#see(row);
      for (const follower of this.#followers) follower.push(row);
    }
    // After a reconnection, new rows do not prove that the missed ones were handed over.
    if (!this.#hasGap) this.#completeAt = completeAt;
  }

  /** Hands over the rows that were missed, of an account the newest READ_AGAIN_MAX of them. */
  async #readAgain(): Promise<void> {
    const startedAt = this.#database.clock.now();
    const since = new Date(this.#completeAt.getTime() - COMMIT_MS);
    for (const accountId of this.#accountIds()) {
      const newestFirst = await this.#source.loadSince(this.#database, accountId, since, READ_AGAIN_MAX + 1);
      const isCut = newestFirst.length > READ_AGAIN_MAX;
      const missed = newestFirst.toReversed().filter(row => !this.#hasSeen(row));
      for (const follower of this.#followers) {
        if (follower.interest.accountId !== accountId) continue;
        if (isCut) follower.leaveOut();
        for (const row of missed) {
          const at = this.#source.happenedAt(row);
          if (at && at >= follower.since) follower.push(row);
        }
      }
      for (const row of missed) this.#see(row);
    }
    if (!this.#hasGap) this.#completeAt = startedAt;
  }

  #accountIds(): string[] {
    return [...new Set([...this.#followers].map(follower => follower.interest.accountId))];
  }

  #versionOf(row: Row): string {
    return this.#source.versionOf?.(row) ?? row.id;
  }

  #see(row: Row): void {
    this.#seen.add(this.#versionOf(row));
    if (this.#seen.size < SEEN_MAX / 2) return;
    this.#seenBefore = this.#seen;
    this.#seen = new Set();
  }

  #hasSeen(row: Row): boolean {
    const version = this.#versionOf(row);
    return this.#seen.has(version) || this.#seenBefore.has(version);
  }
}

/** Ends with the later of two, and keeps nothing of them. */
async function both(one: Promise<unknown>, other: Promise<unknown> | undefined): Promise<void> {
  await Promise.all([one, other]);
}
