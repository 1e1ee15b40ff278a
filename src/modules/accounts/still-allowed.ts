/** Ends subscriptions whose token is revoked, whose session is over, or whose role or plan is another. One check serves all of a process. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Actor, Ctx } from '../../context.ts';
import type { Feed } from '../../db/feeds/feed.ts';
import type { FeedRow, Interest } from '../../db/feeds/subscription.ts';
import type { Database } from '../../db/orm.ts';
import { perDatabase } from '../../db/per-database.ts';
import { isUnavailable } from '../../db/statements/sql.ts';
import { AppError, mustEnrolFirst } from '../../kernel/errors.ts';
import { shared } from '../../kernel/process/shared.ts';
import { reloadTokens, type TokenGrant } from './load-account.ts';
import { reloadSessions, type SignedIn } from './sign-in/load-session.ts';

/** How often followers are checked, and how old the check may be when a row is told: as old as the token of a request. */
const CHECK_MS = 1_000;

/** Throws where the caller, as it is at present, may not follow any more. */
type Requirement = (ctx: Pick<Ctx, 'actor' | 'services'>) => unknown;

interface Watched {
  readonly ctx: Ctx;
  readonly require: Requirement;
  /** When the last check began that it passed, by a clock that never goes back. */
  checkedAtMs: number;
  /** Ends it with a last error. */
  refuse(error: unknown): void;
}

/**
 * Follows rows of the account of the caller while `require`, given the present token or session, does not throw. A quiet subscription ends
 * within a second too. @throws AppError `database_unavailable`; from the iterator `unauthenticated`, or as `require`
 */
export async function followWhileAllowed<Row extends FeedRow>(
  ctx: Ctx,
  feed: Feed<Row>,
  interest: Interest<Row>,
  require: Requirement,
  signal: AbortSignal = ctx.signal,
): Promise<AsyncIterableIterator<Row, undefined>> {
  const check = checkOf(ctx.services.database);
  let leave = (): void => undefined;
  const rows = await feed.subscribe(
    {
      ...interest,
      onLeftOut: count => {
        ctx.request.gap.rows += count;
      },
      onEnd: async () => {
        leave();
        await interest.onEnd?.();
      },
    },
    signal,
  );
  // Only a restart changes the operator's token.
  if (rows.isEnded || !(isSignedIn(ctx.actor) || ctx.actor.kind === 'token')) return rows;
  let isRefused = false;
  const watched: Watched = {
    ctx,
    require,
    // The first row is told after a check: what changed while it began was announced to nobody.
    checkedAtMs: Number.NEGATIVE_INFINITY,
    refuse(error) {
      isRefused = true;
      rows.end(error instanceof Error ? error : new Error(String(error)));
    },
  };
  leave = check.watch(watched);
  const followed: AsyncIterableIterator<Row, undefined> = {
    async next() {
      const result = await rows.next();
      if (!result.done) await check.passed(watched, () => rows.isEnded);
      return isRefused ? rows.next() : result;
    },
    return: () => rows.return(),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  return followed;
}

/** Checks every follower of a process before it is told another row: an account was changed. */
export function checkFollowers(database: Database): void {
  checkOf(database).lookAgain();
}

const checkOf = perDatabase(database => new Check(database));

/** The check of the followers of a process: however many there are, one statement for their tokens and two for their sessions. */
class Check {
  readonly #database: Database;
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | null = null;
  /** When the last change of an account was announced: what was checked before may not know of it. */
  #changedAtMs = Number.NEGATIVE_INFINITY;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Checks a follower from now on, until the returned function is called. */
  watch(watched: Watched): () => void {
    this.#watched.add(watched);
    // A check that fails is made again before the next row, or in a second.
    this.#timer ??= setInterval(() => this.#lookQuietly(), CHECK_MS).unref();
    return () => {
      this.#watched.delete(watched);
      if (this.#watched.size > 0 || !this.#timer) return;
      clearInterval(this.#timer);
      this.#timer = null;
    };
  }

  /** Resolves when a follower has passed a check that is new enough for a row of now, or is refused, or `isEnded`. */
  async passed(watched: Watched, isEnded: () => boolean): Promise<void> {
    const [changedAtMs, tooOldMs] = [this.#changedAtMs, performance.now() - CHECK_MS];
    const isOld = (): boolean => watched.checkedAtMs < changedAtMs || watched.checkedAtMs <= tooOldMs;
    while (isOld() && !isEnded()) {
      try {
        await this.#look();
      } catch (error) {
        if (!isUnavailable(error)) return watched.refuse(error);
        // The row waits for a database that is away: it comes back more often than a stream.
        await wait(CHECK_MS, undefined, { ref: false });
      }
    }
  }

  /** Checks all at once, and until then no row is told. */
  lookAgain(): void {
    this.#changedAtMs = performance.now();
    if (this.#watched.size > 0) this.#lookQuietly();
  }

  #lookQuietly(): void {
    this.#look().catch(() => undefined);
  }

  /** Checks all; calls that come together share one check. @throws the database's error */
  readonly #look = shared(() => this.#judgeAll());

  async #judgeAll(): Promise<void> {
    const [startedMs, all] = [performance.now(), [...this.#watched]];
    const actors = all.map(({ ctx }) => ctx.actor);
    const present = await loadPresent(this.#database, actors);
    for (const watched of all) judge(watched, present(watched.ctx.actor), startedMs);
    // This check may have missed a change that was announced meanwhile.
    if (this.#changedAtMs > startedMs) setImmediate(() => this.#lookQuietly());
  }
}

function judge(watched: Watched, present: Actor | null, startedMs: number): void {
  const { ctx, require } = watched;
  try {
    requirePresent(ctx.actor, present);
    require({ actor: present, services: ctx.services });
    watched.checkedAtMs = startedMs;
  } catch (error) {
    watched.refuse(error);
  }
}

function requirePresent(actor: Actor, present: Actor | null): asserts present is Actor {
  if (actor.kind === 'token') {
    if (!present) throw new AppError('unauthenticated', 'The token is not valid any more.');
    return;
  }
  // A subscription shows rows by the role that it began with.
  if (!present || (actor.kind === 'user' && present.kind === 'user' && present.role !== actor.role))
    throw new AppError('unauthenticated', 'The session is over, or the role has changed. Sign in again.');
  if (present.kind === 'user' && present.mustEnrol) throw mustEnrolFirst();
}

function isSignedIn(actor: Actor): actor is SignedIn {
  return actor.kind === 'user' || (actor.kind === 'operator' && actor.sessionId !== undefined);
}

/** Finds what has become of these callers. Null: the token is not alive, or the session is over. @throws the database's error */
async function loadPresent(database: Database, actors: readonly Actor[]): Promise<(actor: Actor) => Actor | null> {
  const tokenIds = new Set(actors.flatMap(actor => (actor.kind === 'token' ? actor.tokenId : [])));
  const signedIn = actors.filter(isSignedIn);
  const [tokens, sessions] = await Promise.all([
    tokenIds.size > 0 ? reloadTokens(database.sql(), [...tokenIds]) : new Map<string, TokenGrant>(),
    signedIn.length > 0 ? reloadSessions(database, signedIn) : new Map<SignedIn, Actor>(),
  ]);
  return actor => {
    if (isSignedIn(actor)) return sessions.get(actor) ?? null;
    const grant = actor.kind === 'token' ? tokens.get(actor.tokenId) : undefined;
    return grant ? { kind: 'token', ...grant } : null;
  };
}
