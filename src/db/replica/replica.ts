/** A read replica: how far it is behind, and reads that go to the primary where it is not well. */
import { MikroORM } from '@mikro-orm/postgresql';
import type { DatabaseConnection } from 'kysely';
import pg from 'pg';
import { shared } from '../../kernel/process/shared.ts';
import { type Database, type Entity, postgresOptions, type Replica, type Source } from '../orm.ts';
import { answeredIn } from '../postgres/bounded-client.ts';
import { endQuietly } from '../postgres/cancelling.ts';
import { type PostgresTarget, postgresConnections } from '../postgres/postgres.ts';
import { prepareStatements } from '../statements/prepared.ts';
import { isRetryable, isUnavailable, runSql, type Sql, sqlState } from '../statements/sql.ts';
import { type Place, type ReplicaReading, Wake } from './wake.ts';

/** How often both servers are asked for their position. */
const CHECK_MS = 1_000;

/** The time-out of each answer to that. */
const ANSWER_MS = 1_000;

/** After so many checks in a row without an answer, reads under way are given up: one pause of a healthy server is no reason. */
const MISSES_MAX = 2;

/** The server, the database in it, and how far its log goes; the same text for both servers. */
const LOCATE = `select pg_is_in_recovery() as "isReplica",
  (select system_identifier from pg_control_system()) || '/' || (select oid from pg_database where datname = current_database()) as identity,
  pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, '0/0')::float8 as position`;

async function locate(sql: Sql): Promise<Place | null> {
  const [place] = await answeredIn(ANSWER_MS, runSql<Place>(sql, LOCATE, []));
  return place ?? null;
}

/** Waits for a connection of the pool, and for an answer. */
const OVERDUE = /^timeout exceeded when trying to connect|^The database did not answer in time/;

/** Whether a replica that follows has too much to do: its reads would be the primary's load next. */
function isOfLoad(error: unknown): boolean {
  const state = sqlState(error);
  // No resources, or cancelled, as by `statement_timeout`. A read in the way of what is replayed ends in 40001, 40P01 or 57P04.
  if (state !== null) return state === '57014' || state.startsWith('53');
  return error instanceof Error && OVERDUE.test(error.message);
}

/** A server that is asked by a connection of its own: many statements at a time must not look like a silent server. */
interface Probe {
  readonly locate: () => Promise<Place | null>;
  readonly close: () => Promise<void>;
}

function openProbe(target: PostgresTarget): Probe {
  const { config, waitMs } = postgresConnections(target, 'heliograph-replica');
  const pool = new pg.Pool({ ...config, max: 1, connectionTimeoutMillis: waitMs });
  pool.on('error', () => undefined);
  const sql = prepareStatements(pool).sql();
  return { locate: () => locate(sql).catch(() => null), close: () => pool.end() };
}

/** The replica of a primary, as one process knows it. */
export class StreamingReplica implements Replica {
  readonly #primary: Database;
  readonly #orm: MikroORM;
  readonly #probes: { readonly primary: Probe; readonly replica: Probe };
  readonly #wake = new Wake();
  #gone = new AbortController();
  #misses = 0;
  #timer: NodeJS.Timeout | null = null;

  /** `primary` is open, and `of` is how to reach it. */
  constructor(target: PostgresTarget, entities: readonly Entity[], primary: Database, of: PostgresTarget) {
    this.#primary = primary;
    this.#orm = new MikroORM({
      ...postgresOptions(target),
      entities: [...entities],
      onCreateConnection: async connection => endQuietly(connection as DatabaseConnection),
    });
    this.#probes = { primary: openProbe(of), replica: openProbe(target) };
  }

  get reading(): ReplicaReading {
    const lagMs = this.#wake.lagMs(performance.now());
    return { state: this.#wake.state, lagSeconds: lagMs === null ? null : lagMs / 1_000 };
  }

  readonly check = shared(async (): Promise<ReplicaReading> => {
    const askedMs = performance.now();
    // Without the primary's answer the replica looks older from check to check, as it may be.
    const primary = await this.#probes.primary.locate();
    if (primary) this.#wake.primaryAt(primary, askedMs);
    const place = await this.#probes.replica.locate();
    this.#wake.replicaAt(place, performance.now());
    this.#misses = place === null ? this.#misses + 1 : 0;
    if (this.#misses >= MISSES_MAX) {
      this.#gone.abort(new Error('the replica does not answer'));
      this.#gone = new AbortController();
    }
    return this.reading;
  });

  keep(onCheck: (reading: ReplicaReading) => void): void {
    const next = async (): Promise<void> => onCheck(await this.check());
    onCheck(this.reading);
    this.#timer = setInterval(next, CHECK_MS).unref();
  }

  async read<Result>(signal: AbortSignal, run: (source: Source) => Promise<Result>): Promise<Result> {
    // Its statements end with the caller, as those on the replica do.
    const primary: Source = { fork: () => this.#primary.fork(signal), sql: () => this.#primary.sql(signal) };
    if (this.#wake.state !== 'following') return run(primary);
    const gone = this.#gone.signal;
    try {
      return await run(this.#sourceUntil(AbortSignal.any([signal, gone])));
    } catch (error) {
      const isBusy = this.#wake.state === 'following' && isOfLoad(error);
      // A replica ends a read that is in the way of what it replays: as retryable as a conflict.
      const hasFailed = gone.aborted || isRetryable(error) || (isUnavailable(error) && !isBusy);
      if (signal.aborted || !hasFailed) throw error;
      return run(primary);
    }
  }

  async close(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#orm.close(true);
    await Promise.all([this.#probes.primary.close(), this.#probes.replica.close()]);
  }

  #sourceUntil(signal: AbortSignal): Source {
    const options = { signal, inflightQueryAbortStrategy: 'cancel query' } as const;
    return {
      fork: () => this.#orm.em.fork(options),
      sql: () => {
        const sql = this.#orm.em.fork().getKysely();
        return { executeQuery: query => sql.executeQuery(query, options) };
      },
    };
  }
}
