/** What processes tell each other about webhooks, by NOTIFY. */
import { runSql, type Sql } from '../../../db/statements/sql.ts';
import { toUuid } from '../../../kernel/ids.ts';

/** The channel on which workers hear that an endpoint has deliveries to make; the payload is its uuid, with `CHANGED` or `RENEWED` before it where the endpoint is not what it was. */
export const WEBHOOK_CHANNEL = 'heliograph_webhooks';

/** Begins the payload of an endpoint that was changed: what a worker has loaded for it holds no more. */
export const CHANGED = 'changed:';

/** Begins the payload of an endpoint that starts anew: what a worker knows of its failures holds no more, either. */
export const RENEWED = 'renewed:';

/** The channel on which followers hear of new events; the payload are uuids, joined by commas, with `AGAIN` before them where they were told before. */
export const EVENT_CHANNEL = 'heliograph_events';

/** The channel on which followers hear of new tries; the payload are uuids, joined by commas. */
export const TRY_CHANNEL = 'heliograph_tries';

/** Wakes the workers for an endpoint. @param news what is new: deliveries, where it is absent. Part of the transaction of `sql` */
export async function wakeEndpoint(
  sql: Sql,
  endpointId: string,
  news: typeof CHANGED | typeof RENEWED | '' = '',
): Promise<void> {
  await runSql(sql, 'select pg_notify($1, $2)', [WEBHOOK_CHANNEL, `${news}${toUuid(endpointId)}`]);
}
