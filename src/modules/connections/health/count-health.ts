/** The verb *count health*: looks at the newest attempts of each connection, and finds the sick ones. */
import type { Ctx } from '../../../context.ts';
import { announcing } from '../../../db/feeds/live-reading.ts';
import { fromUuid, toUuid } from '../../../kernel/ids.ts';
import { defineRecurring } from '../../../queue/kit.ts';
import { Connection } from '../connection.entity.ts';
import { judge } from './health.policy.ts';
import { COUNT_HEALTH, KEEP_HEALTH } from './health.sql.ts';

/** The channel of LISTEN and NOTIFY; its payload is empty: all rows are read again. */
export const HEALTH_CHANNEL = 'heliograph_connection_health';

const announceHealth = announcing(HEALTH_CHANNEL);

/** Counts, judges and keeps, and tells every process. */
export async function countHealth({ em, log, services: { database } }: Ctx): Promise<void> {
  const sql = database.sql();
  const connections = await em.find(Connection, { removedAt: null }, { fields: ['accountId', 'channel', 'name'] });
  const byId = new Map(connections.map(connection => [connection.id, connection]));
  const counted = [];
  // One by one: a statement over all of them would last the longer the more there are.
  for (const { id } of connections)
    for (const { was_sick: wasSick, ...row } of await COUNT_HEALTH.run(sql, { connection: toUuid(id) }))
      counted.push({ ...row, connectionId: id, connection_id: toUuid(id), wasSick });
  const rows = judge(counted, id => `${byId.get(id)?.accountId ?? ''} ${byId.get(id)?.channel ?? ''}`);
  const changed = await KEEP_HEALTH.run(sql, { rows });
  await announceHealth(database.fork());
  for (const { connection_id, country, reason } of changed) {
    const connectionId = fromUuid('con', connection_id);
    const facts = { connectionId, name: byId.get(connectionId)?.name, country };
    if (reason === null) log.info(facts, 'a connection is well again');
    else log.warn({ ...facts, reason }, 'a connection is sick');
  }
}

/** Counts each minute. Without this job no connection is sick. */
export const countHealthJob = defineRecurring({
  name: 'count-health',
  // The next count follows.
  queue: { retryLimit: 0, deleteAfterSeconds: 3_600, expireInSeconds: 300 },
  cron: '* * * * *',
  run: countHealth,
});
