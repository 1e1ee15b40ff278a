/** Stores the number of a connection, as its provider tells it: a send goes by the connection of its sender (contract §15). */
import type { Ctx } from '../../../context.ts';
import { toUuid } from '../../../kernel/ids.ts';
import { NOTE_NUMBER } from './note-number.sql.ts';

/** Stores it, for this process at once and for every other one within a second. @throws AppError `database_unavailable` */
export async function noteNumber(
  { services: { database, providers } }: Ctx,
  connectionIds: readonly string[],
  number: string,
): Promise<void> {
  const connections = connectionIds.map(id => toUuid(id));
  const changed = await NOTE_NUMBER.run(database.sql(), { connections, number });
  if (changed.length > 0) await providers.refresh();
}
