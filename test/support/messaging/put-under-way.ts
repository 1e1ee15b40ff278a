/** Makes a send one whose process died over it: its attempts are under way again, and nothing of their outcomes is known. */
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import type { RunSql } from '../otp/pins.ts';

/** When the lease of the process that died ends: it is over, or goes on. */
export type Lease = 'over' | 'held';

/** Puts a message or an OTP back, with its attempts over channels and the hold of its SMS, and answers its lease. */
export async function putUnderWay(sql: RunSql, id: string, lease: Lease = 'over'): Promise<string> {
  const [table, key] = id.startsWith('msg_') ? ['messages', 'message_id'] : ['otps', 'pin_id'];
  const [taken] = await sql<{ lease: string }>(
    `with left_attempts as (
       delete from attempts where ${key} = $1 and type in ('message_attempt', 'otp_attempt') returning *
     )
     update ${table} set status = 'pending', channel = null, lease_until = now() + $2::interval, under_way = (
       select json_agg(
         case when connection_id is null then json_build_array(id, channel, provider, sender, begun)
           else json_build_array(id, channel, provider, sender, begun, connection_id) end order by id)::text from (select *, floor(extract(epoch from started_at) * 1000)::bigint as begun from left_attempts) l), held = (select coalesce(sum(credits), 0) from left_attempts)
     where id = $1 returning lease_until::text as lease`,
    [toUuid(id), lease === 'over' ? '-1 second' : '30 seconds'],
  );
  await sql(
    `update accounts a set credits = a.credits - s.held, held = a.held + s.held from ${table} s where s.id = $1 and a.id = s.account_id`,
    [toUuid(id)],
  );
  if (table === 'messages') await mark(sql, id);
  return taken?.lease ?? '';
}

/** Marks a message as a process does that has it under way, so that recovery looks for it. */
export async function mark(sql: RunSql, messageId: string): Promise<void> {
  await sql('insert into routing_marks (process, oldest, seen_at) values ($1, $2, now())', [
    toUuid(newId('key')),
    toUuid(messageId),
  ]);
}
