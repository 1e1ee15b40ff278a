/** Stores the number of a connection, as its provider tells it: a send goes by the connection of its sender (contract §15). */
import type { Ctx } from '../../../context.ts';
import { statement } from '../../../db/statements/statement.ts';
import { toUuid } from '../../../kernel/ids.ts';
import { CONNECTION_CHANNEL } from '../announce-connections.ts';

const NOTE_NUMBER = statement('note number', {
  takes: { connections: 'uuid[]', number: 'text' },
  gives: { id: 'uuid' },
  sql: p => `
  with noted as (
    update connections set number = ${p.number} where id = any(${p.connections}) and number is distinct from ${p.number} returning id
  )
  select id from noted where (select count(pg_notify('${CONNECTION_CHANNEL}', '')) from noted) >= 0`,
});

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
