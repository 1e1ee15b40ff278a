/** Reads events as they are told. Their times keep their microseconds, which no `Date` does. */
import { idSql, timeSql } from '../../../db/statements/json.sql.ts';
import { RANGED_IDS, rangedIds } from '../../../db/statements/ranged-ids.ts';
import type { Sql } from '../../../db/statements/sql.ts';
import { typed } from '../../../db/statements/sql-types.ts';
import { statement } from '../../../db/statements/statement.ts';
import { toUuid } from '../../../kernel/ids.ts';
import type { ToldEvent, WebhookEventName } from './webhook-events.ts';

const COLUMNS = `${idSql('evt', 'e.id')} as id, ${idSql('acc', 'e.account_id')} as "accountId", e.event,
  ${timeSql('e.created_at', 'us')} as "createdAt", e.data::json as data`;

const EVENT = {
  id: 'text',
  accountId: 'text',
  event: typed<WebhookEventName>('text'),
  createdAt: 'text',
  data: 'json',
} as const;

const LOAD_EVENTS = statement('load events', {
  takes: RANGED_IDS,
  gives: EVENT,
  sql: p =>
    `select ${COLUMNS} from webhook_events e where e.id = any(${p.ids}) and e.id between ${p.lowestId} and ${p.highestId}`,
});

const LOAD_EVENTS_SINCE = statement('load events since', {
  takes: { account: 'uuid', from: 'uuid', since: 'timestamptz', limit: 'int' },
  gives: EVENT,
  sql: p => `select ${COLUMNS} from webhook_events e
    where e.account_id = ${p.account} and e.id >= ${p.from} and e.created_at >= ${p.since}
    order by e.created_at desc limit ${p.limit}`,
});

/** Loads the events of these ids that are still kept, by their id. */
export async function loadToldEvents(sql: Sql, ids: readonly string[]): Promise<Map<string, ToldEvent>> {
  const rows = await LOAD_EVENTS.run(sql, rangedIds(ids.map(toUuid)));
  return new Map(rows.map(event => [event.id, event]));
}

/** Loads the newest events of an account that happened at `since` or later, the newest first. `from` is the lowest uuid that they may have. */
export async function loadEventsSince(
  sql: Sql,
  accountId: string,
  { since, from }: { readonly since: Date; readonly from: string },
  limit: number,
): Promise<ToldEvent[]> {
  return LOAD_EVENTS_SINCE.run(sql, { account: toUuid(accountId), from, since, limit });
}
