/** Moves what an account has sent into the past, so that the pictures show days and not the minute in which it was sent. */
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';

/** The uuid of what was made so much earlier: its time stands in its first 48 bits. */
const earlier = (id: string): string =>
  `(lpad(to_hex(('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint - moves.ms), 12, '0') || substr(replace(${id}::text, '-', ''), 13))::uuid`;

const back = (table: string, ...columns: readonly string[]): string =>
  columns.map(column => `${column} = ${table}.${column} - moves.ms * interval '1 ms'`).join(', ');

/**
 * The ledger stays as it is: nobody rewrites it, the pictures neither. Each statement has the sends and how far they go back as `moves (send, ms)`, and what arrived as `arrived (text, ms)`.
 */
const STATEMENTS = [
  `create temp table moves as select replace(substr(send, 5), '-', '')::uuid as send, ms::bigint from json_each_text($1) as each (send, ms)`,
  `create temp table arrived as select replace(substr(a.provider_message_id, 5), '-', '')::uuid as text, moves.ms from attempts a
    join moves on moves.send = coalesce(a.message_id, a.pin_id) where a.provider_message_id like 'sbx%'`,
  `update webhook_tries t set id = ${earlier('t.id')}, delivery_id = ${earlier('t.delivery_id')}, ${back('t', 'created_at')}
    from webhook_deliveries d join webhook_events e on e.id = d.event_id join moves on moves.send = e.send_id where t.delivery_id = d.id`,
  `update webhook_deliveries d set id = ${earlier('d.id')}, event_id = ${earlier('d.event_id')}, ${back('d', 'created_at', 'finished_at')} from webhook_events e join moves on moves.send = e.send_id where e.id = d.event_id`,
  `update webhook_events e set id = ${earlier('e.id')}, send_id = case when exists (select from messages m where m.id = e.send_id)
    then ${earlier('e.send_id')} else e.send_id end, ${back('e', 'created_at')} from moves where moves.send = e.send_id`,
  // The guard flagged nearly all of so many passcodes in one minute.
  `delete from attempts where type = 'otp_flagged' and id not in (select id from attempts where type = 'otp_flagged' order by id limit 2)`,
  `update attempts a set id = ${earlier('a.id')}, message_id = ${earlier('a.message_id')}, ${back('a', 'started_at', 'finished_at', 'delivered_at', 'reported_at')},
    provider_message_id = case when a.provider_message_id like 'sbx%'
      then 'sbx_' || replace(${earlier(`replace(substr(a.provider_message_id, 5), '-', '')`)}::text, '-', '') end
    from moves where moves.send = coalesce(a.message_id, a.pin_id)`,
  `update messages m set id = ${earlier('m.id')}, ${back('m', 'created_at')} from moves where moves.send = m.id`,
  `update otps o set position = ${earlier('o.position')}, ${back('o', 'created_at', 'verified_at', 'expires_at', 'resend_available_at')}
    from moves where moves.send = o.id`,
  `update sandbox_messages s set id = ${earlier('s.id')}, ${back('s', 'created_at')} from arrived as moves where moves.text = s.id`,
];

/** `sends` has the ids of messages and passcodes, each with how many milliseconds it goes back. The gateway does not run meanwhile. */
export async function spreadTimes(dataDir: string, sends: ReadonlyMap<string, number>): Promise<void> {
  const database = await PGlite.create({ dataDir: join(dataDir, 'database') });
  try {
    await database.transaction(async transaction => {
      for (const statement of STATEMENTS)
        await transaction.query(statement, statement.includes('$1') ? [JSON.stringify(Object.fromEntries(sends))] : []);
      // The figures of those hours are read from the log again.
      for (const table of ['log_counts', 'log_latencies', 'log_otp_counts', 'late_attempts'])
        await transaction.query(`delete from ${table}`);
      await transaction.query(`update log_roll_up set until = '00000000-0000-0000-0000-000000000000'`);
    });
  } finally {
    await database.close();
  }
}
