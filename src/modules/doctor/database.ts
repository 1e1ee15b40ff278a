/** Checks the database: version, schema, writes, speed, connections, TLS, and whether announcements arrive. */
import type { Database } from '../../db/orm.ts';
import { ConnectError } from '../../db/postgres/postgres-dial.ts';
import { runSql, type Sql } from '../../db/statements/sql.ts';
import { isThisMachine } from '../../kernel/network/address.ts';
import { type Finding, fault, graded, ok, warning } from './finding.ts';

const VERSION_MIN = 15;

/** How long a round trip may take, in milliseconds. */
const ROUND_TRIP = { warnAbove: 50, faultAbove: 1_000 };

/** Used connections of the server, in percent. */
const CONNECTIONS = { warnAbove: 80, faultAbove: 95 };

/** Checks the database. @throws errors of the database */
export async function lookAtDatabase(database: Database, sql: Sql): Promise<Finding[]> {
  const { engine } = database;
  const isServer = engine.kind === 'postgres';
  return [
    await lookAtVersion(sql, isServer),
    await lookAtMigrations(database),
    await lookAtWriting(sql),
    await lookAtRoundTrip(sql),
    ...(isServer ? [await lookAtConnections(sql), await lookAtTls(sql, engine.direct !== null)] : []),
  ];
}

async function lookAtVersion(sql: Sql, isServer: boolean): Promise<Finding> {
  const [row] = await runSql<{ server_version: string }>(sql, 'show server_version', []);
  const version = row?.server_version ?? 'unknown';
  const message = `${isServer ? 'PostgreSQL' : 'The embedded database, PostgreSQL'} ${version}.`;
  if (Number.parseInt(version, 10) >= VERSION_MIN) return ok('database.version', message);
  return fault('database.version', message, `Use PostgreSQL ${VERSION_MIN} or newer.`);
}

async function lookAtMigrations(database: Database): Promise<Finding> {
  if (await database.readiness.isMigrated()) return ok('database.schema', 'The schema is up to date.');
  return fault(
    'database.schema',
    'The schema is not that of this release.',
    'Start this release on it, or run: npx heliograph migrate',
  );
}

/** Changes no row, but fails on a read-only database. */
async function lookAtWriting(sql: Sql): Promise<Finding> {
  try {
    await runSql(sql, 'update secret_key set key_id = key_id where false', []);
    return ok('database.writing', 'It can be written.');
  } catch {
    return fault(
      'database.writing',
      'It cannot be written: it is a replica, or set to read-only.',
      'Name the primary in DATABASE_URL, or make the database writable again.',
    );
  }
}

async function lookAtRoundTrip(sql: Sql): Promise<Finding> {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    const beganMs = performance.now();
    await runSql(sql, 'select 1', []);
    times.push(performance.now() - beganMs);
  }
  const value = Math.min(...times);
  return graded(
    'database.round_trip',
    { value, ...ROUND_TRIP },
    `A round trip takes ${value.toFixed(1)} ms.`,
    'Run the gateway near its database, and see whether the database is overloaded.',
  );
}

async function lookAtConnections(sql: Sql): Promise<Finding> {
  const [row] = await runSql<{ used: number; own: number; max: number }>(
    sql,
    `select count(*)::int as used, (count(*) filter (where datname = current_database() and usename = current_user))::int as own,
       current_setting('max_connections')::int as max
     from pg_stat_activity where backend_type = 'client backend'`,
    [],
  );
  const { used, own, max } = row ?? { used: 0, own: 0, max: 1 };
  return graded(
    'database.connections',
    { value: (used * 100) / max, ...CONNECTIONS },
    `${used} of ${max} connections of the server are open, ${own} of them for this database and user.`,
    'Run fewer processes or smaller pools, raise max_connections, or put PgBouncer in front and set DATABASE_DIRECT_URL.',
  );
}

/** Checks that announcements of other processes arrive: it sends a notification and listens for it. @throws errors of the database */
export async function lookAtHearing({ engine, hearing }: Database): Promise<Finding[]> {
  if (engine.kind === 'pglite') return [];
  try {
    const ms = await hearing.roundTrip();
    return [ok('database.listen', `What other processes announce arrives, as it did in ${ms.toFixed(1)} ms just now.`)];
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    return [
      fault(
        'database.listen',
        'What other processes announce does not arrive: LISTEN hears nothing of it. Events come late, as do changes of connections, rules and tokens.',
        "Set DATABASE_DIRECT_URL to the database's own address, without a pooler, and see that this machine reaches it.",
      ),
    ];
  }
}

/** The server knows the connection that reaches it, which behind a pooler is that of the pooler. */
async function lookAtTls(sql: Sql, isPooled: boolean): Promise<Finding> {
  const [row] = await runSql<{ ssl: boolean; version: string | null; peer: string | null }>(
    sql,
    `select ssl, version, host(inet_client_addr()) as peer from pg_stat_ssl where pid = pg_backend_pid()`,
    [],
  );
  const which = isPooled ? 'The connection of the pooler to the database' : 'The connection';
  const rest = isPooled ? ' The one to the pooler is not looked at: sslmode in DATABASE_URL says how it is made.' : '';
  if (row?.ssl) return ok('database.tls', `${which} is encrypted (${row.version}).${rest}`);
  if (!row || row.peer === null || isThisMachine(row.peer)) {
    const machine = isPooled ? 'the machine of the database' : 'this machine';
    return ok('database.tls', `${which} is not encrypted, and does not leave ${machine}.${rest}`);
  }
  return warning(
    'database.tls',
    `${isPooled ? which : 'The connection to the database'} is not encrypted, and comes from another machine.${rest}`,
    `${isPooled ? 'Set server_tls_sslmode of the pooler' : 'Add sslmode=verify-full to DATABASE_URL'}, and give the server a certificate.`,
  );
}
