/** Reads events as they are told. Their times keep their microseconds, which no `Date` does. */
import { timeSql } from '../../../db/statements/json.sql.ts';
import { runSql, type Sql } from '../../../db/statements/sql.ts';
import { fromUuid, toUuid } from '../../../kernel/ids.ts';
import type { ToldEvent, WebhookEventName } from './webhook-events.ts';

interface EventRow {
  id: string;
  account_id: string;
  event: WebhookEventName;
  data: string;
  created_at: string;
}

const COLUMNS = `id, account_id, event, data, ${timeSql('created_at', 'us')} as created_at`;

/** Loads the events of these ids that are still kept, by their id. */
export async function loadToldEvents(sql: Sql, ids: readonly string[]): Promise<Map<string, ToldEvent>> {
  const uuids = ids.map(toUuid).sort();
  const rows = await runSql<EventRow>(
    sql,
    `select ${COLUMNS} from webhook_events where id = any($1::uuid[]) and id between $2::uuid and $3::uuid`,
    [uuids, uuids[0] ?? null, uuids.at(-1) ?? null],
  );
  return new Map(rows.map(toToldEvent).map(event => [event.id, event]));
}

/** Loads the newest events of an account that happened at `since` or later, the newest first. `from` is the lowest uuid that they may have. */
export async function loadEventsSince(
  sql: Sql,
  accountId: string,
  { since, from }: { readonly since: Date; readonly from: string },
  limit: number,
): Promise<ToldEvent[]> {
  const rows = await runSql<EventRow>(
    sql,
    `select ${COLUMNS} from webhook_events e
     where account_id = $1 and id >= $2::uuid and e.created_at >= $3 order by e.created_at desc limit $4`,
    [toUuid(accountId), from, since, limit],
  );
  return rows.map(toToldEvent);
}

function toToldEvent(row: EventRow): ToldEvent {
  return {
    id: fromUuid('evt', row.id),
    accountId: fromUuid('acc', row.account_id),
    event: row.event,
    createdAt: row.created_at,
    data: JSON.parse(row.data),
  };
}
