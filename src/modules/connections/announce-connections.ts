/** Tells every process that connections have changed, by NOTIFY; `connection-table.ts` listens. */
import { runSql, type Sql } from '../../db/statements/sql.ts';

/** The channel of LISTEN and NOTIFY; its payload is empty: all connections are read again, which are few. */
export const CONNECTION_CHANNEL = 'heliograph_connections';

/** Announces a change of connections, within the transaction of `sql`. */
export async function announceConnections(sql: Sql): Promise<void> {
  await runSql(sql, 'select pg_notify($1, $2)', [CONNECTION_CHANNEL, '']);
}
