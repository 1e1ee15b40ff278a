/** The statement of numbers that providers tell. */
import { statement } from '../../../db/statements/statement.ts';
import { CONNECTION_CHANNEL } from '../announce-connections.ts';

/** Stores the number of connections, and announces those that had another one. */
export const NOTE_NUMBER = statement('note number', {
  takes: { connections: 'uuid[]', number: 'text' },
  gives: { id: 'uuid' },
  sql: p => `
  with noted as (
    update connections set number = ${p.number} where id = any(${p.connections}) and number is distinct from ${p.number} returning id
  )
  select id from noted where (select count(pg_notify('${CONNECTION_CHANNEL}', '')) from noted) >= 0`,
});
