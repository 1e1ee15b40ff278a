/** Tells every process that connections have changed, by NOTIFY; `connection-table.ts` listens. */
import { announcing } from '../../db/feeds/live-reading.ts';

/** The channel of LISTEN and NOTIFY; its payload is empty: all connections are read again, which are few. */
export const CONNECTION_CHANNEL = 'heliograph_connections';

/** Announces a change of connections, when the transaction commits. */
export const announceConnections = announcing(CONNECTION_CHANNEL);
