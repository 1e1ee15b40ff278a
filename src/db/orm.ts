/** Opens the database: PostgreSQL by its URL, or PGlite in process, with the same SQL, so that other rooms need not know which. */
import type { PGlite } from '@electric-sql/pglite';
import type { EntityClass, EntitySchema, InflightQueryAbortStrategy, MikroORM, Options } from '@mikro-orm/core';
import { MikroORM as PgliteMikroORM } from '@mikro-orm/pglite';
import { MikroORM as PostgresMikroORM } from '@mikro-orm/postgresql';
import type { AbstractSqlDriver, BasePostgreSqlEntityManager } from '@mikro-orm/sql';
import type { DatabaseConnection } from 'kysely';
import type { Pool } from 'pg';
import { prepareEmbedded } from './embedded/prepare-embedded.ts';
import { type Hearing, type Listen, type Listening, pgliteListening, postgresListening } from './feeds/listen.ts';
import type { Notify } from './feeds/pulses.ts';
import { migrations } from './migrations.ts';
import { endQuietly } from './postgres/cancelling.ts';
import { type PostgresTarget, postgresConnections } from './postgres/postgres.ts';
import { openReadiness, type Readiness } from './readiness.ts';
import type { ReplicaReading } from './replica/wake.ts';
import { ServerClock } from './server-clock.ts';
import { INDEXES_ONLY, type Prepared, prepareStatements, readyConnection } from './statements/prepared.ts';
import { runSql, type Sql } from './statements/sql.ts';

/** How a database groups commits. */
export interface Batching {
  /** `false`: each item commits alone, at once. Only for comparison (`npm run bench`). */
  readonly grouped: boolean;
  /** Called after each commit, for the metrics. */
  onCommit(batch: string, size: number, durationMs: number): void;
}

/** A unit of work: one fork of the entity manager. */
export type Em = BasePostgreSqlEntityManager;

/** A server by its URL, or an open PGlite. */
type DatabaseTarget = PostgresTarget | { readonly pglite: PGlite };

/** The ORM's description of a table. */
export type Entity = EntityClass | EntitySchema;

/** The options that both engines and the ORM's command line share. */
export const ormOptions = {
  // Verbs log, with the request's id; the ORM must not.
  logger: () => undefined,
  forceUtcTimezone: true,
  // A mistyped name must be an error, not a new database.
  ensureDatabase: false,
  migrations: {
    tableName: 'migrations',
    migrationsList: migrations,
    snapshot: false,
    path: 'src/db/migrations',
    emit: 'ts',
  },
  // A job makes partitions, the queue its own schema, and readiness a table without an entity. Triggers and functions
  // are in the migrations only.
  schemaGenerator: {
    skipTables: [/_p\d{6}$/, 'readiness'],
    ignoreSchema: ['pgboss'],
    ignoreTriggers: true,
    ignoreRoutines: true,
  },
  discovery: { warnWhenNoEntities: false },
} satisfies Partial<Options>;

/** The part of a database that reads need. */
export type Source = Pick<Database, 'fork' | 'sql'>;

/** A read replica of the database. */
export interface Replica {
  /** How it stands, as of the last check. */
  readonly reading: ReplicaReading;
  /** Asks both servers where they stand. Never throws. */
  check(): Promise<ReplicaReading>;
  /** Checks it again and again until the database is closed, and tells of each check. */
  keep(onCheck: (reading: ReplicaReading) => void): void;
  /** Runs reads on the replica if it is well, else on the primary. A replica that fails meanwhile: they run again on the primary; one that has too much to do: they do not. @throws errors of `run` */
  read<Result>(signal: AbortSignal, run: (source: Source) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** An open database. */
export interface Database {
  readonly orm: MikroORM<AbstractSqlDriver>;
  /** The engine itself, for the queue; `direct` where a pooler is between the pool and the server. */
  readonly engine:
    | { readonly kind: 'postgres'; readonly pool: Pool; readonly direct: PostgresTarget | null }
    | { readonly kind: 'pglite'; readonly pglite: PGlite };
  /** A new unit of work; discard it after a failure. When the signal aborts, its statement is cancelled and its transaction rolled back. */
  fork(signal?: AbortSignal): Em;
  /** Each statement in its own transaction, even inside a caller's, since a count must persist. `signal`, as for `fork`, is for reads. */
  sql(signal?: AbortSignal): Sql;
  /** Runs the prepared statements of the hot path. */
  readonly prepared: Prepared;
  readonly clock: ServerClock;
  /** Whether it answers, takes writes, and has every migration. */
  readonly readiness: Readiness;
  listen: Listen;
  /** Whether what is notified is heard here. */
  readonly hearing: Hearing;
  readonly batching: Batching;
  /** For reads that decide nothing; null: there is none. */
  readonly replica: Replica | null;
  close(): Promise<void>;
}

/** The oldest PostgreSQL that the statements support. */
const POSTGRES_VERSION_MIN = 15;

/** Opens the database. @throws errors of the driver, and an Error for a server that is too old or read-only */
export async function openDatabase(
  target: DatabaseTarget,
  entities: readonly Entity[],
  batching: Batching = { grouped: true, onCommit: () => undefined },
): Promise<Database> {
  const opened = 'url' in target ? openPostgres(target, entities) : openPglite(target.pglite, entities);
  const database = { ...(await opened), batching, replica: null };
  try {
    await checkServer(database.sql());
    await database.clock.start();
  } catch (error) {
    await database.close().catch(() => undefined);
    throw error;
  }
  return database;
}

async function checkServer(sql: Sql): Promise<void> {
  const [server] = await runSql<{ version: string; is_read_only: boolean }>(
    sql,
    "select current_setting('server_version') as version, current_setting('transaction_read_only') = 'on' as is_read_only",
    [],
  );
  const version = server?.version ?? '';
  if (!(Number.parseInt(version, 10) >= POSTGRES_VERSION_MIN)) {
    throw new Error(`it is PostgreSQL ${version}; version ${POSTGRES_VERSION_MIN} or newer is needed`);
  }
  if (server?.is_read_only)
    throw new Error('it takes no writes: it is a standby, or its sessions are set to default_transaction_read_only');
}

type Unbatched = Omit<Database, 'batching' | 'replica'>;

/** The ORM's options for its pool. Its own URL parser supports neither TLS files nor several hosts. */
export function postgresOptions(target: PostgresTarget) {
  const { config, poolSize, statementTimeoutMs, waitMs } = postgresConnections(target, null);
  return {
    ...ormOptions,
    dbName: config.database,
    pool: { max: poolSize },
    driverOptions: { ...config, connectionTimeoutMillis: waitMs, onConnect: readyConnection(statementTimeoutMs) },
  };
}

async function openPostgres(target: PostgresTarget, entities: readonly Entity[]): Promise<Unbatched> {
  const orm = new PostgresMikroORM({
    ...postgresOptions(target),
    entities: [...entities],
    onCreateConnection: async connection => endQuietly(connection as DatabaseConnection),
  });
  const pool = await orm.em.getConnection().getNativeClient();
  const prepared = prepareStatements(pool);
  const direct = target.directUrl ? { ...target, url: target.directUrl, directUrl: null } : null;
  const notify: Notify = (channel, payload) => runSql(prepared.sql(), 'select pg_notify($1, $2)', [channel, payload]);
  return {
    ...assemble(orm, orm.em, 'cancel query', prepared, postgresListening(target, notify)),
    engine: { kind: 'postgres', pool, direct },
  };
}

async function openPglite(pglite: PGlite, entities: readonly Entity[]): Promise<Unbatched> {
  const orm = new PgliteMikroORM({
    ...ormOptions,
    dbName: 'postgres',
    driverOptions: { pglite },
    entities: [...entities],
  });
  await pglite.exec(INDEXES_ONLY);
  return {
    ...assemble(orm, orm.em, 'ignore query', prepareEmbedded(pglite), pgliteListening(pglite)),
    engine: { kind: 'pglite', pglite },
  };
}

function assemble(
  orm: MikroORM<AbstractSqlDriver>,
  em: Em,
  inflightQueryAbortStrategy: InflightQueryAbortStrategy,
  prepared: Prepared,
  hearing: Listening,
): Omit<Unbatched, 'engine'> {
  // Readings pass the ORM by: one that is closed meanwhile never gives their connection back, and its pool waits for that.
  const clock = new ServerClock(() => timeOf(prepared.sql()));
  return {
    orm,
    fork: signal => em.fork(signal ? { signal, inflightQueryAbortStrategy } : {}),
    sql(signal) {
      // Of a fork, since the global one would join a transaction of the caller.
      const sql = em.fork().getKysely();
      return signal ? { executeQuery: query => sql.executeQuery(query, { signal, inflightQueryAbortStrategy }) } : sql;
    },
    prepared,
    clock,
    readiness: openReadiness(prepared, hearing),
    listen: hearing.listen,
    hearing,
    close: () => {
      clock.stop();
      return orm.close(true);
    },
  };
}

/** The database's time, in milliseconds since 1970. */
async function timeOf(sql: Sql): Promise<number> {
  const text = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms';
  const [row] = await runSql<{ ms: number }>(sql, text, []);
  return row?.ms ?? 0;
}
