/** The figures of a connection by country, read from the attempts that went by it. */
import type { Ctx } from '../../context.ts';
import type { Answer } from '../../db/statements/statement.ts';
import { toUuid, uuidFloor } from '../../kernel/ids.ts';
import type { Connection } from './connection.entity.ts';
import { COUNT_DELIVERIES } from './connection-figures.sql.ts';

/** How far back the figures go. */
const HOURS = 24;

/** How many attempts they are made of at most: a page must not wait for a million rows. */
const NEWEST = 20_000;

/** The figures of a connection for one country. */
export type ConnectionFigures = Answer<typeof COUNT_DELIVERIES>;

/** The figures of a connection, of its newest 20,000 attempts within the last 24 hours. The country with the most attempts is first. */
export async function connectionFigures(
  { services: { database } }: Ctx,
  { id }: Pick<Connection, 'id'>,
): Promise<ConnectionFigures[]> {
  const from = uuidFloor(new Date(await database.clock.in(-HOURS * 3_600_000)));
  return COUNT_DELIVERIES.run(database.sql(), { connection: toUuid(id), from, newest: NEWEST });
}
