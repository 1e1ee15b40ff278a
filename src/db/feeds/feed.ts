/**
 * Live feeds of rows that are appended and announced by NOTIFY. A process listens once for each kind of row, whatever the number of
 * its followers; what is announced is loaded once for all of them. Every process hears what any process commits.
 */
import { fromUuid, type IdPrefix, isUuid, parseId } from '../../kernel/ids.ts';
import { unavailable } from '../batch.ts';
import type { Database } from '../orm.ts';
import { isUnavailable } from '../statements/sql.ts';
import { type FeedRow, type Interest, Subscription } from './subscription.ts';

/** How many announced rows are loaded by one query. */
const LOAD_SIZE_MAX = 1_000;

/** How many announced ids wait while the database is slow; beyond, they are read again as after a lost connection. */
const WAITING_MAX = 20_000;

/** How many of the newest ids are known as handed over, so that reading again gives none of them twice. */
const SEEN_MAX = 20_000;

/** How many rows of an account are read again at most. */
const READ_AGAIN_MAX = 5_000;

/** How much earlier than it was announced a row may have happened: the commit, and clocks that differ. */
const COMMIT_MS = 5_000;

/** How long the feed waits before it asks a database again that was away. */
const RETRY_DELAY_MS = 500;

/** Where the rows of a feed come from. */
export interface FeedSource<Row extends FeedRow> {
  /** The channel of NOTIFY; a payload are ids or uuids, joined by commas. */
  readonly channel: string;
  readonly prefix: IdPrefix;
  /** What a follower is told, as a sentence, who reads too slowly. */
  readonly overflow: string;
  /** Loads the rows of these ids and accounts that are there, in any order. */
  load(database: Database, ids: readonly string[], accountIds: readonly string[]): Promise<Row[]>;
  /** Loads the newest rows of an account that happened at `since` or later, the newest first. */
  loadSince(database: Database, accountId: string, since: Date, limit: number): Promise<Row[]>;
  /** When a row happened; null: it has not. */
  happenedAt(row: Row): Date | null;
}

/** The feed of one kind of rows, of a process. */
export interface Feed<Row extends FeedRow> {
  /**
   * Follows the rows of an account that are announced from when the promise resolves. Each comes once, but for what a process that was
   * very busy reads again after a lost connection. Ends when the signal aborts, when the iterator is returned, and when the feed closes.
   * @throws AppError `database_unavailable`; from the iterator `overloaded` when more than 1,000 rows wait.
   */
  subscribe(interest: Interest<Row>, signal: AbortSignal): Promise<Subscription<Row>>;
  /** Ends every follower and stops listening. */
  close(): Promise<void>;
}

const opened = new WeakMap<Database, { close(): Promise<void> }[]>();

/** Defines a feed, of which every open database has one for all of its followers. It listens from its first follower to its last. */
export function defineFeed<Row extends FeedRow>(source: FeedSource<Row>): (database: Database) => Feed<Row> {
  const feeds = new WeakMap<Database, Feed<Row>>();
  return database => {
    let feed = feeds.get(database);
    if (!feed) {
      feed = new LiveFeed(database, source);
      feeds.set(database, feed);
      opened.set(database, [...(opened.get(database) ?? []), feed]);
    }
    return feed;
  };
}

/** Ends every follower of every feed of a database. */
export async function closeFeeds(database: Database): Promise<void> {
  await Promise.all((opened.get(database) ?? []).map(feed => feed.close()));
}

class LiveFeed<Row extends FeedRow> implements Feed<Row> {
  readonly #database: Database;
  readonly #source: FeedSource<Row>;
  readonly #followers = new Set<Subscription<Row>>();
  #listening: Promise<() => Promise<void>> | null = null;
  #closing: Promise<unknown> = Promise.resolve();
  #waiting: string[] = [];
  #hasGap = false;
  #isPumping = false;
  #retry: NodeJS.Timeout | null = null;
  /** When the last announcement came. */
  #heardAt = new Date();
  /** Up to when everything that was announced has been handed over: where reading again begins. */
  #completeAt = new Date();
  /** Two generations, so that the oldest half can be forgotten at once. */
  #seen = new Set<string>();
  #seenBefore = new Set<string>();

  constructor(database: Database, source: FeedSource<Row>) {
    this.#database = database;
    this.#source = source;
  }

  async subscribe(interest: Interest<Row>, signal: AbortSignal): Promise<Subscription<Row>> {
    const follower = new Subscription(interest, signal, this.#source.overflow, ended => this.#remove(ended));
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

  async close(): Promise<void> {
    for (const follower of this.#followers) follower.end();
    await this.#closing;
  }

  async #listen(): Promise<() => Promise<void>> {
    await this.#closing;
    this.#heardAt = new Date();
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
    this.#closing = Promise.all([this.#closing, follower.ending]);
    if (this.#followers.size > 0) return;
    const stopped = this.#listening?.then(stop => stop()).catch(() => undefined);
    this.#listening = null;
    this.#closing = Promise.all([this.#closing, stopped]);
    if (this.#retry) clearTimeout(this.#retry);
    this.#retry = null;
    this.#waiting = [];
    this.#hasGap = false;
  }

  #hear(payload: string): void {
    if (this.#followers.size === 0) return;
    this.#heardAt = new Date();
    // Whoever may write to the database may notify: what is no id is not ours.
    const ids = payload.split(',').flatMap(text => this.#readId(text) ?? []);
    if (this.#waiting.length + ids.length > WAITING_MAX) {
      this.#waiting = [];
      this.#hasGap = true;
    } else if (!this.#hasGap) this.#waiting.push(...ids);
    void this.#pump();
  }

  #readId(text: string): string | null {
    return isUuid(text) ? fromUuid(this.#source.prefix, text) : parseId(this.#source.prefix, text);
  }

  /** Loads and hands over what was announced, in order and never twice at a time. */
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

  async #load(ids: readonly string[]): Promise<void> {
    const completeAt = this.#waiting.length === 0 ? this.#heardAt : this.#completeAt;
    const found = await this.#source.load(this.#database, ids, this.#accountIds());
    const byId = new Map(found.map(row => [row.id, row]));
    for (const row of ids.flatMap(id => byId.get(id) ?? [])) {
      // Reading again can be faster than the announcement.
      if (this.#hasSeen(row.id)) continue;
      this.#see(row.id);
      for (const follower of this.#followers) follower.push(row);
    }
    // What came over a new connection tells nothing about what the lost one did not bring.
    if (!this.#hasGap) this.#completeAt = completeAt;
  }

  /** Hands over what was added while nobody listened. Followers of an account that has more of it than is read again are ended. */
  async #readAgain(): Promise<void> {
    const startedAt = new Date();
    const since = new Date(this.#completeAt.getTime() - COMMIT_MS);
    for (const accountId of this.#accountIds()) {
      const newestFirst = await this.#source.loadSince(this.#database, accountId, since, READ_AGAIN_MAX + 1);
      const isCut = newestFirst.length > READ_AGAIN_MAX;
      const missed = newestFirst.toReversed().filter(row => !this.#hasSeen(row.id));
      for (const follower of this.#followers) {
        if (follower.interest.accountId !== accountId) continue;
        if (isCut) follower.overflow();
        for (const row of missed) {
          const at = this.#source.happenedAt(row);
          if (at && at >= follower.since) follower.push(row);
        }
      }
      for (const row of missed) this.#see(row.id);
    }
    if (!this.#hasGap) this.#completeAt = startedAt;
  }

  #accountIds(): string[] {
    return [...new Set([...this.#followers].map(follower => follower.interest.accountId))];
  }

  #see(id: string): void {
    this.#seen.add(id);
    if (this.#seen.size < SEEN_MAX / 2) return;
    this.#seenBefore = this.#seen;
    this.#seen = new Set();
  }

  #hasSeen(id: string): boolean {
    return this.#seen.has(id) || this.#seenBefore.has(id);
  }
}
