/** The verb *drop months*: messages, the log, events and deliveries are kept for `RETENTION_DAYS`, and with them who wrote (contract §16). */
import type { Ctx } from '../../context.ts';
import { dropPartitions } from '../../db/partitions.ts';
import { inChunks } from '../../db/statements/purge.sql.ts';
import { uuidFloor } from '../../kernel/ids.ts';
import { PURGE_HANDOVERS } from '../chat-sessions/handovers/handovers.sql.ts';
import { PURGE_CONTACTS } from '../chat-sessions/pace/turn.sql.ts';
import { FORGET_LAST_MESSAGES, PURGE_PEOPLE } from './purge-people.sql.ts';

const DAY_MS = 86_400_000;

/** Drops the months that are over by the database's clock, and answers the names of their tables. Repeating it changes nothing. */
export async function dropMonths({ log, services: { database, settings } }: Ctx): Promise<readonly string[]> {
  const sql = database.sql();
  const days = settings.retentionDays;
  const dropped = await dropPartitions(database, days);
  const before = uuidFloor(new Date(await database.clock.in(-days * DAY_MS)));
  const people = await inChunks(limit => PURGE_PEOPLE.first(sql, { before, days, limit }));
  await inChunks(limit => FORGET_LAST_MESSAGES.first(sql, { before, limit }));
  await PURGE_CONTACTS.run(sql, { days });
  await PURGE_HANDOVERS.run(sql);
  if (dropped.length > 0 || people > 0) log.info({ dropped, people }, 'what is older than RETENTION_DAYS was dropped');
  return dropped;
}
