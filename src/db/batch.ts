/**
 * Commits in groups: a batch collects changes while the commits before are under way, and applies them in one transaction. Each caller gets
 * its own result or error. A change costs what its statements cost, and less as load rises.
 */
import { setTimeout as delay } from 'node:timers/promises';
import DataLoader from 'dataloader';
import { AppError } from '../kernel/errors.ts';
import { InFlight } from '../kernel/process/in-flight.ts';
import { Gathering, type Patience } from './gathering.ts';
import type { Database } from './orm.ts';
import { perDatabase } from './per-database.ts';
import { answeredIn } from './postgres/bounded-client.ts';
import { isRetryable, isUnavailable, type Sql, sqlState, TOO_LATE } from './statements/sql.ts';

/** How often a transaction that may succeed once more (deadlock, serialization, overtaken) is run. */
const TRIES_MAX = 10;

/** How long the commit of a group is waited for. A later result is nobody's any more. */
const COMMIT_MS = 5_000;

/** How old an item may be when its turn comes; a group that hangs must not leave those behind it hanging too. */
const WAIT_MS = 3_000;

/** By when what must happen soon or never has happened: the rest of the time is for the commit and the answer. */
export const IN_TIME_MS = 4_000;

/** The same for a statement of its own, which has not waited for its turn in a group before. */
export const ALONE_IN_TIME_MS = WAIT_MS + IN_TIME_MS;

/** The longest that a statement takes whose lateness is not the database's. */
const AT_ONCE_MS = 1_000;

/** Applies items by multi-row statements: a result or an `Error` for each, in order, and none after the time `by` if the batch is `inTime`. */
export type Apply<Item, Result> = (
  sql: Sql,
  items: readonly Item[],
  by: string,
  database: Database,
) => Promise<readonly (Result | Error)[]>;

interface BatchOptions {
  /** Whether its changes happen in time or never: what a caller was told failed must not happen behind its back. */
  readonly inTime?: boolean;
  /** Whether its groups come one after another in a process, because two at once may meet at the same rows. */
  readonly isSerial?: boolean;
  /** How long a group is under way alone, in milliseconds, where two would mostly wait for each other. */
  readonly aloneMs?: number;
  /** How long its groups wait for more; where it is absent as long as suits callers who wait. */
  readonly patience?: Patience;
}

/** A batch of one database: call it with an item, await its result. */
export type Batch<Item, Result> = (item: Item) => Promise<Result>;

/** The most items of one commit. */
const SIZE_MAX = 256;

/** The most groups of a batch that a server has at once; the embedded database has one connection. */
const UNDER_WAY_MAX = { postgres: 2, pglite: 1 } as const;

/**
 * Defines a batch, of which every open database has one. If the transaction of a group fails, its halves are tried apart, so that a
 * refused row fails alone. A database that is away fails all of them with `database_unavailable`.
 */
export function defineBatch<Item, Result>(
  name: string,
  apply: Apply<Item, Result>,
  options: BatchOptions = {},
): (database: Database) => Batch<Item, Result> {
  return define(name, options, (database, items, by) =>
    database.prepared.transaction(sql => apply(sql, items, by, database), by || undefined),
  );
}

/** Defines a batch whose change is one statement, a transaction by itself: that spares two trips to the database. */
export function defineStatementBatch<Item, Result>(
  name: string,
  apply: Apply<Item, Result>,
  options: BatchOptions = {},
): (database: Database) => Batch<Item, Result> {
  return define(name, options, (database, items, by) => apply(database.prepared.sql(), items, by, database));
}

function define<Item, Result>(
  name: string,
  { inTime = false, ...how }: BatchOptions,
  apply: Run<Item, Result>,
): (database: Database) => Batch<Item, Result> {
  const run: Run<Item, Result> = inTime
    ? async (database, items) => {
        const startedMs = performance.now();
        const applyInTime = async () => apply(database, items, await database.clock.in(IN_TIME_MS));
        try {
          return await applyInTime();
        } catch (error) {
          // Another server may answer by now, or one whose clock was set.
          if (isUnavailable(error)) database.clock.forget();
          // Too late at once is too late by a clock that was known wrongly; nothing was changed.
          if (sqlState(error) === TOO_LATE && performance.now() - startedMs < AT_ONCE_MS) return applyInTime();
          throw error;
        }
      }
    : apply;
  return perDatabase(database => createBatch(name, database, run, how));
}

/** Applies a group as one transaction, by a time of the database's clock. */
type Run<Item, Result> = (
  database: Database,
  items: readonly Item[],
  by: string,
) => Promise<readonly (Result | Error)[]>;

/** An item on its way, and since when. */
interface Waiting<Item> {
  readonly item: Item;
  readonly sinceMs: number;
}

function createBatch<Item, Result>(
  name: string,
  database: Database,
  run: Run<Item, Result>,
  { isSerial, aloneMs, patience }: BatchOptions,
): Batch<Item, Result> {
  const { grouped, onCommit } = database.batching;
  const commit = async (items: readonly Item[]): Promise<readonly (Result | Error)[]> => {
    const startedMs = performance.now();
    const committing = commitOrSplit(database, run, items, startedMs + COMMIT_MS);
    const results = await answeredIn(COMMIT_MS, committing).catch((error: unknown) =>
      items.map(() => toBatchError(error)),
    );
    onCommit(name, items.length, performance.now() - startedMs);
    return results;
  };
  if (!grouped) {
    return async item => {
      const [result] = await commit([item]);
      if (result instanceof Error) throw result;
      return result as Result;
    };
  }
  // Dispatching calls the batch function synchronously, which adds its promise: the next group waits for a free place.
  const underWay = new InFlight<Promise<unknown>>();
  const underWayMax = isSerial ? 1 : UNDER_WAY_MAX[database.engine.kind];
  let queue: Promise<unknown> = Promise.resolve();
  const gathering = new Gathering(SIZE_MAX, patience);
  const loader = new DataLoader<Waiting<Item>, Result>(
    waiting => {
      const results = commitYoung(waiting, commit);
      const settled = results.catch(() => undefined);
      void settled.finally(underWay.begin(settled));
      return results;
    },
    {
      cache: false,
      maxBatchSize: SIZE_MAX,
      batchScheduleFn: dispatch => {
        queue = queue.then(async () => {
          await nextTurn();
          await gathering.gathered();
          gathering.close();
          dispatch();
          if (underWay.size >= underWayMax) await Promise.race(underWay);
          else if (aloneMs) await Promise.race([...underWay, delay(aloneMs, null, { ref: false })]);
        });
      },
    },
  );
  return item => {
    gathering.add();
    return loader.load({ item, sinceMs: performance.now() });
  };
}

/** Commits those of a group that have not waited for too long, and refuses the others. */
async function commitYoung<Item, Result>(
  waiting: readonly Waiting<Item>[],
  commit: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
): Promise<readonly (Result | Error)[]> {
  const youngestMs = performance.now() - WAIT_MS;
  const isYoung = ({ sinceMs }: Waiting<Item>): boolean => sinceMs >= youngestMs;
  const young = waiting.filter(isYoung).map(({ item }) => item);
  if (young.length === waiting.length) return commit(young);
  const results = young.length > 0 ? [...(await commit(young))] : [];
  return waiting.map(one => (isYoung(one) ? (results.shift() ?? new Error('a result is missing')) : unavailable(null)));
}

/** Lets what arrived in the same turn of the event loop join the group. */
function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

async function commitOrSplit<Item, Result>(
  database: Database,
  run: Run<Item, Result>,
  items: readonly Item[],
  endsAtMs: number,
): Promise<readonly (Result | Error)[]> {
  for (let tryNumber = 1; ; tryNumber++) {
    try {
      const results = await run(database, items, '');
      if (results.length !== items.length)
        throw new Error(`a batch of ${items.length} answered ${results.length} results`);
      return results;
    } catch (error) {
      database.readiness.note(error);
      const isOver = performance.now() >= endsAtMs;
      if (isRetryable(error) && tryNumber < TRIES_MAX && !isOver) continue;
      if (isUnavailable(error) || items.length === 1 || isOver) return items.map(() => toBatchError(error));
      const half = Math.ceil(items.length / 2);
      const left = await commitOrSplit(database, run, items.slice(0, half), endsAtMs);
      return [...left, ...(await commitOrSplit(database, run, items.slice(half), endsAtMs))];
    }
  }
}

/** The error for callers of a batch whose transaction fails: `database_unavailable`, `overloaded` after many tries in vain, or the error as it is. */
export function toBatchError(error: unknown): Error {
  if (isUnavailable(error)) return unavailable(error);
  if (isRetryable(error)) {
    return new AppError(
      'overloaded',
      'Too much is changed at once here. Try again in a moment.',
      { retryAfter: 1 },
      error,
    );
  }
  return error instanceof Error ? error : new Error(String(error));
}

/** The answer to callers while the database is away. */
export function unavailable(cause: unknown): AppError {
  return new AppError(
    'database_unavailable',
    'The database is unavailable. Try again in a moment.',
    { retryAfter: 1 },
    cause,
  );
}
