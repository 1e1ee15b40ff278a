/** The sick connections as a process knows them: no send asks the database. */
import { LiveReading } from '../../../db/feeds/live-reading.ts';
import type { Database } from '../../../db/orm.ts';
import { fromUuid } from '../../../kernel/ids.ts';
import type { Metrics } from '../../../observability/metrics.ts';
import { HEALTH_CHANNEL } from './count-health.ts';
import { ALL_COUNTRIES, triesSick } from './health.policy.ts';
import { LOAD_HEALTH } from './health.sql.ts';

/** The health of connections. */
export interface HealthTable {
  /** Why a connection is sick for recipients of a country; null: it is well. The usual case costs no look at the country. */
  sicknessOf(connectionId: string, country: () => string | null): string | null;
  /** Whether a recipient is one of the few that try a sick connection. */
  isTriedBy(connectionId: string, recipient: string): boolean;
  /** Reads again. @throws errors of the database */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

interface HealthTableParts {
  readonly database: Database;
  readonly metrics: Metrics;
  /** Told what could not be read; what was read before holds until it can. */
  onError(error: unknown): void;
}

/** Reads, and listens. @throws errors of the database */
export async function openHealth({ database, metrics, onError }: HealthTableParts): Promise<HealthTable> {
  /** Of those that are sick for a country or for all: the reason by country, null where they are well. */
  let sick: ReadonlyMap<string, ReadonlyMap<string, string | null>> = new Map();
  let round = '';
  const read = async (): Promise<void> => {
    const rows = await LOAD_HEALTH.run(database.sql());
    const byConnection = Map.groupBy(rows, row => fromUuid('con', row.connection_id));
    sick = new Map(
      [...byConnection].flatMap(([id, own]) =>
        own.some(({ reason }) => reason !== null)
          ? [[id, new Map(own.map(({ country, reason }) => [country, reason]))] as const]
          : [],
      ),
    );
    round = rows[0]?.round ?? '';
    measure(metrics, byConnection);
  };
  const reading = new LiveReading({ database, channel: HEALTH_CHANNEL, read, onError });
  await reading.open();
  return {
    sicknessOf(connectionId, countryOf) {
      const byCountry = sick.get(connectionId);
      if (!byCountry) return null;
      const own = byCountry.get(countryOf() ?? ALL_COUNTRIES);
      // A country with few attempts has no row: what is known of all has to do.
      return own === undefined ? (byCountry.get(ALL_COUNTRIES) ?? null) : own;
    },
    isTriedBy: (connectionId, recipient) => triesSick(connectionId, recipient, round),
    refresh: () => reading.refresh(),
    close: () => reading.close(),
  };
}

function measure(
  { connectionSick, connectionTaken, connectionDelivered }: Metrics,
  byConnection: ReadonlyMap<string, Awaited<ReturnType<typeof LOAD_HEALTH.run>>>,
): void {
  for (const gauge of [connectionSick, connectionTaken, connectionDelivered]) gauge.reset();
  for (const [connection, rows] of byConnection)
    for (const { country, reason, hour } of rows) {
      connectionSick.set({ connection, country }, reason === null ? 0 : 1);
      if (hour.attempts > 0) connectionTaken.set({ connection, country }, hour.taken / hour.attempts);
      if (hour.due > 0) connectionDelivered.set({ connection, country }, hour.delivered / hour.due);
    }
}
