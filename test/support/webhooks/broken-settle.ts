/** A settle that is broken on purpose: it tells of the change in a statement of its own. The check of events must find it out. */

import type { Database } from '../../../src/db/orm.ts';
import { idSql } from '../../../src/db/statements/json.sql.ts';
import { runSql, type Sql } from '../../../src/db/statements/sql.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { type EventSource, eventCtes } from '../../../src/modules/webhooks/events/record-events.sql.ts';
import type { WebhookEventName } from '../../../src/modules/webhooks/events/webhook-events.ts';

/** The moments at which it tells of the change. Only the one in the same transaction is right. */
export const TELLINGS = ['after the change', 'before the change', 'in the transaction of the change'] as const;

/** When it tells of the change. */
export type Telling = (typeof TELLINGS)[number];

/** Ends the routing of a message with one SMS: it was accepted. */
const CHANGE = `
  with ended as (
    update messages set status = 'sent', channel = 'sms', lease_until = null where id = $1 returning id
  )
  update attempts set status = 'sent', finished_at = now() where message_id in (select id from ended)`;

function source(event: WebhookEventName, from: string, data: string): EventSource {
  return { from, where: 'true', of: 'n', events: { [event]: 'true' }, data };
}

const MESSAGE = '(select * from messages where id = $1) n';
const MESSAGE_DATA = `json_build_object('messageId', ${idSql('msg', 'n.id')})`;

/** Tells of that, whether it has happened or not. */
const EVENTS = `
  with ${eventCtes('array[$2::uuid]', [
    source(
      'sms.sent',
      '(select * from attempts where message_id = $1) n',
      `json_build_object('attemptId', ${idSql('att', 'n.id')})`,
    ),
    source('message.sent', MESSAGE, MESSAGE_DATA),
    source('message.routed', MESSAGE, MESSAGE_DATA),
  ])}
  select 1`;

/** Settles a message that is under way. */
export async function settleBroken(
  { prepared }: Pick<Database, 'prepared'>,
  telling: Telling,
  accountId: string,
  messageId: string,
): Promise<void> {
  const id = toUuid(messageId);
  const change = (sql: Sql) => runSql(sql, CHANGE, [id]);
  const tell = (sql: Sql) => runSql(sql, EVENTS, [id, toUuid(accountId)]);
  if (telling === 'in the transaction of the change') {
    await prepared.transaction(async sql => {
      await change(sql);
      await tell(sql);
    });
    return;
  }
  const steps = telling === 'after the change' ? [change, tell] : [tell, change];
  for (const step of steps) await step(prepared.sql());
}
