/**
 * Commits in groups. A verb of the hot path hands its change to a batch, which collects what arrives while the commit before is
 * under way, applies it in one transaction, and gives every caller its own result or its own error. The cost of a change is
 * then what its statements cost, and it falls as load rises.
 */
import DataLoader from 'dataloader';
import { AppError } from '../kernel/errors.ts';
import type { Database } from './orm.ts';
import { isRetryable, isUnavailable, type Sql } from './sql.ts';

/** How often a transaction that may succeed once more (deadlock, serialization, overtaken) is run. */
const TRIES_MAX = 10;

/** How a batch applies its items: multi-row statements on `sql`, a result or an `Error` for each item, in order. */
export type Apply<Item, Result> = (sql: Sql, items: readonly Item[]) => Promise<readonly (Result | Error)[]>;

/** How a database groups commits. */
export interface Batching {
  /** `false`: each item is a commit of its own, at once. Only for comparison (`npm run bench`). */
  readonly grouped: boolean;
  /** Told after each commit, for the metrics. */
  onCommit(batch: string, size: number, durationMs: number): void;
}

/** A batch of one database: call it with an item, await its result. */
export type Batch<Item, Result> = (item: Item) => Promise<Result>;

/** The most items of one commit. */
const SIZE_MAX = 256;

/**
 * Defines a batch, of which every open database has one. Where the transaction of a group fails as a whole, its halves are
 * tried apart, so that a row which the database refuses fails alone and its neighbours do not. A database that is away fails
 * all of them with `database_unavailable`.
 */
export function defineBatch<Item, Result>(
  name: string,
  apply: Apply<Item, Result>,
): (database: Database) => Batch<Item, Result> {
  return define(name, (database, items) => database.prepared.transaction(sql => apply(sql, items)));
}

/**
 * Defines a batch whose every change is made by one statement, which is a transaction by itself: that spares two trips to the
 * database.
 */
export function defineStatementBatch<Item, Result>(
  name: string,
  apply: Apply<Item, Result>,
): (database: Database) => Batch<Item, Result> {
  return define(name, (database, items) => apply(database.prepared.sql(), items));
}

function define<Item, Result>(name: string, run: Run<Item, Result>): (database: Database) => Batch<Item, Result> {
  const batches = new WeakMap<Database, Batch<Item, Result>>();
  return database => {
    let batch = batches.get(database);
    if (!batch) {
      batch = createBatch(name, database, run);
      batches.set(database, batch);
    }
    return batch;
  };
}

/** Applies a group as one transaction. */
type Run<Item, Result> = (database: Database, items: readonly Item[]) => Promise<readonly (Result | Error)[]>;

function createBatch<Item, Result>(name: string, database: Database, run: Run<Item, Result>): Batch<Item, Result> {
  const { grouped, onCommit } = database.batching;
  const commit = async (items: readonly Item[]): Promise<readonly (Result | Error)[]> => {
    const startedMs = performance.now();
    const results = await commitOrSplit(database, run, items);
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
  // Dispatching calls the batch function synchronously, which leaves its promise here: the next group waits for it.
  let underWay: Promise<unknown> = Promise.resolve();
  let queue: Promise<unknown> = Promise.resolve();
  const loader = new DataLoader<Item, Result>(
    items => {
      const results = commit(items);
      underWay = results;
      return results;
    },
    {
      cache: false,
      maxBatchSize: SIZE_MAX,
      batchScheduleFn: dispatch => {
        queue = queue.then(nextTurn).then(() => {
          dispatch();
          return underWay.catch(() => undefined);
        });
      },
    },
  );
  return item => loader.load(item);
}

/** Lets what arrived in the same turn of the event loop join the group. */
function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

async function commitOrSplit<Item, Result>(
  database: Database,
  run: Run<Item, Result>,
  items: readonly Item[],
): Promise<readonly (Result | Error)[]> {
  for (let tryNumber = 1; ; tryNumber++) {
    try {
      const results = await run(database, items);
      if (results.length !== items.length)
        throw new Error(`a batch of ${items.length} answered ${results.length} results`);
      return results;
    } catch (error) {
      if (isRetryable(error) && tryNumber < TRIES_MAX) continue;
      if (isUnavailable(error) || items.length === 1) return items.map(() => toBatchError(error));
      const half = Math.ceil(items.length / 2);
      const left = await commitOrSplit(database, run, items.slice(0, half));
      return [...left, ...(await commitOrSplit(database, run, items.slice(half)))];
    }
  }
}

/** What the callers of a batch are told when its transaction fails: `database_unavailable`, `overloaded` where it was run in vain again and again, or the error as it is. */
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
