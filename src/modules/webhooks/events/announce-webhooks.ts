/** Notifications about webhooks between processes, by NOTIFY. */
import { runSql, type Sql } from '../../../db/statements/sql.ts';
import { toUuid } from '../../../kernel/ids.ts';

/**
 * The channel on which workers hear that an endpoint has deliveries to make. The payload is its uuid, behind `CHANGED` or `RENEWED` where the endpoint
 * itself changed.
 */
export const WEBHOOK_CHANNEL = 'heliograph_webhooks';

/** Begins the payload of an endpoint that was changed: deliveries that a worker has loaded for it are loaded again. */
export const CHANGED = 'changed:';

/** Begins the payload of an endpoint that starts anew: a worker forgets its failures too. */
export const RENEWED = 'renewed:';

/** The channel on which followers hear of new events; the payload are uuids, joined by commas, with `AGAIN` before them where they were told before. */
export const EVENT_CHANNEL = 'heliograph_events';

/** The channel on which followers hear of new tries; the payload are uuids, joined by commas. */
export const TRY_CHANNEL = 'heliograph_tries';

/** Wakes the workers for an endpoint when the transaction of `sql` commits. @param news absent: it has deliveries to make */
export async function wakeEndpoint(
  sql: Sql,
  endpointId: string,
  news: typeof CHANGED | typeof RENEWED | '' = '',
): Promise<void> {
  await runSql(sql, 'select pg_notify($1, $2)', [WEBHOOK_CHANNEL, `${news}${toUuid(endpointId)}`]);
}
