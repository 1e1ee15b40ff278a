/**
 * The live feed of the log. A process listens once, whatever the number of its followers; what is announced is loaded once for
 * all of them. Every process hears what any process commits.
 */
import type { Ctx } from '../../context.ts';
import { unavailable } from '../../db/batch.ts';
import type { Database } from '../../db/orm.ts';
import { readListInput } from '../../db/page.ts';
import { isUnavailable } from '../../db/sql.ts';
import { parseId, uuidFloor } from '../../kernel/ids.ts';
import { LOG_CHANNEL } from '../routing/announce-log.ts';
import { Attempt } from '../routing/attempt.entity.ts';
import { readScope } from '../routing/read-scope.ts';
import { type LogFilter, logFilterInput } from './log-filter.input.ts';
import { matchesFilter, readLogFilter } from './log-filter.policy.ts';
import { type LogInterest, LogSubscription, tooSlow } from './log-subscription.ts';
import { whileAllowed } from './still-allowed.ts';

/** How many announced entries are loaded by one query. */
const LOAD_SIZE_MAX = 1_000;

/** How many announced ids wait while the database is slow; beyond, they are read again as after a lost connection. */
const WAITING_MAX = 20_000;

/** How many of the newest ids are known as handed over, so that reading again gives none of them twice. */
const SEEN_MAX = 20_000;

/** How many entries of an account are read again at most. */
const READ_AGAIN_MAX = 5_000;

/** How much earlier than it was announced an outcome may have been known: the commit, and clocks that differ. */
const COMMIT_MS = 5_000;

/** How much earlier an attempt may have got its id: the deadline of a request, and of a recovery after it. */
const ATTEMPT_MS = 60_000;

/** How long the feed waits before it asks a database again that was away. */
const RETRY_DELAY_MS = 500;

/** The feed of a process. */
export interface LogFeed {
  /**
   * Follows the entries of an account that are announced from when the promise resolves. Each comes once, but for
   * what a process that was very busy reads again after a lost connection. Ends when the signal aborts, when the iterator is returned, and when the feed closes.
   * @throws AppError `database_unavailable`; from the iterator `overloaded` when more than 1,000 entries wait.
   */
  subscribe(interest: LogInterest, signal: AbortSignal): Promise<AsyncIterableIterator<Attempt, undefined>>;
  /** Ends every follower and stops listening. */
  close(): Promise<void>;
}

/** Makes a feed. It listens from its first follower to its last. */
export function createLogFeed(database: Database): LogFeed {
  return new Feed(database);
}

const feeds = new WeakMap<Database, LogFeed>();

/** The feed of an open database: one for all of its followers. */
export function logFeedOf(database: Database): LogFeed {
  const feed = feeds.get(database) ?? createLogFeed(database);
  feeds.set(database, feed);
  return feed;
}

/**
 * The verb *follow logs*: the entries that the caller may see and that pass the filter, each when its outcome is known. Once the
 * promise resolves nothing is missed. Ends without an error when `ctx.signal` aborts or the caller returns.
 * @throws AppError `invalid_input`, `database_unavailable`, and as `readScope`, all before the first entry; from the iterator
 * `overloaded` when the caller is too slow, and as `whileAllowed`.
 */
export async function followLogs(
  ctx: Ctx,
  filter?: LogFilter | null,
): Promise<AsyncIterableIterator<Attempt, undefined>> {
  const scope = readScope(ctx);
  const criteria = readLogFilter(scope, readListInput(logFilterInput, filter ?? {}));
  const matches = (attempt: Attempt): boolean => criteria !== null && matchesFilter(attempt, criteria);
  const entries = await logFeedOf(ctx.services.database).subscribe({ accountId: scope.accountId, matches }, ctx.signal);
  return whileAllowed(ctx, entries);
}

class Feed implements LogFeed {
  readonly #database: Database;
  readonly #followers = new Set<LogSubscription>();
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

  constructor(database: Database) {
    this.#database = database;
  }

  async subscribe(interest: LogInterest, signal: AbortSignal): Promise<AsyncIterableIterator<Attempt, undefined>> {
    const follower = new LogSubscription(interest, signal, ended => this.#remove(ended));
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
      LOG_CHANNEL,
      payload => this.#hear(payload),
      () => {
        this.#hasGap = true;
        void this.#pump();
      },
    );
  }

  #remove(follower: LogSubscription): void {
    this.#followers.delete(follower);
    if (this.#followers.size > 0) return;
    const listening = this.#listening;
    this.#listening = null;
    this.#closing = listening?.then(stop => stop()).catch(() => undefined) ?? this.#closing;
    if (this.#retry) clearTimeout(this.#retry);
    this.#retry = null;
    this.#waiting = [];
    this.#hasGap = false;
  }

  #hear(payload: string): void {
    if (this.#followers.size === 0) return;
    this.#heardAt = new Date();
    // Whoever may write to the database may notify: what is no id is not ours.
    const ids = payload.split(',').flatMap(id => parseId('att', id) ?? []);
    if (this.#waiting.length + ids.length > WAITING_MAX) {
      this.#waiting = [];
      this.#hasGap = true;
    } else if (!this.#hasGap) this.#waiting.push(...ids);
    void this.#pump();
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
    const found = await this.#database
      .fork()
      .find(Attempt, { id: { $in: [...ids] }, accountId: { $in: this.#accountIds() } });
    const byId = new Map(found.map(attempt => [attempt.id, attempt]));
    for (const attempt of ids.flatMap(id => byId.get(id) ?? [])) {
      // Reading again can be faster than the announcement.
      if (this.#hasSeen(attempt.id)) continue;
      this.#see(attempt.id);
      for (const follower of this.#followers) follower.push(attempt);
    }
    // What came over a new connection tells nothing about what the lost one did not bring.
    if (!this.#hasGap) this.#completeAt = completeAt;
  }

  /** Hands over what was added while nobody listened. Followers of an account that has more of it than is read again are ended. */
  async #readAgain(): Promise<void> {
    const startedAt = new Date();
    const since = this.#completeAt.getTime() - COMMIT_MS;
    for (const accountId of this.#accountIds()) {
      const newestFirst = await this.#database.fork().find(
        Attempt,
        {
          accountId,
          id: { $gte: uuidFloor(new Date(since - ATTEMPT_MS)) },
          finishedAt: { $gte: new Date(since) },
        },
        { orderBy: { id: 'desc' }, limit: READ_AGAIN_MAX + 1 },
      );
      const isCut = newestFirst.length > READ_AGAIN_MAX;
      const missed = newestFirst.toReversed().filter(attempt => !this.#hasSeen(attempt.id));
      for (const follower of this.#followers) {
        if (follower.interest.accountId !== accountId) continue;
        if (isCut) follower.fail(tooSlow());
        for (const attempt of missed) {
          if (attempt.finishedAt && attempt.finishedAt >= follower.since) follower.push(attempt);
        }
      }
      for (const attempt of missed) this.#see(attempt.id);
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
