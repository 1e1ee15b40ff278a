/** The statement that finds the deliveries that sends caused. */
import { idSql } from '../../db/statements/json.sql.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';
import type { DeliveryStatus } from '../webhooks/deliveries/webhook-delivery.entity.ts';
import { isCloseTo } from '../webhooks/events/close-to.sql.ts';
import type { WebhookEventName } from '../webhooks/events/webhook-events.ts';

/** The deliveries of sends to endpoints that are there, each with its last try. */
export const FIND_WEBHOOKS = statement('find webhooks of sends', {
  takes: { account: 'uuid', sends: 'uuid[]', lowest: 'uuid', limit: 'int' },
  gives: {
    sendId: 'uuid',
    deliveryId: 'text',
    endpointId: 'text',
    eventId: 'text',
    event: typed<WebhookEventName>('text'),
    url: 'text',
    status: typed<DeliveryStatus>('text'),
    tries: 'int',
    httpStatus: 'int?',
    durationMs: 'int?',
    error: 'text?',
    at: 'timestamptz',
  },
  sql: p => `
  select e.send_id as "sendId", ${idSql('dlv', 'd.id')} as "deliveryId", ${idSql('whk', 'w.id')} as "endpointId",
    ${idSql('evt', 'e.id')} as "eventId", e.event, w.url, d.status, d.tries, d.http_status as "httpStatus", t.duration_ms as "durationMs",
    d.error, coalesce(t.created_at, d.created_at) as at
  from webhook_events e
  join webhook_endpoints w on w.account_id = e.account_id
  join webhook_deliveries d on d.endpoint_id = w.id and d.event_id = e.id
    and ${isCloseTo('d.id', 'e.id')}
  left join lateral (
    select duration_ms, created_at from webhook_tries t where t.delivery_id = d.id order by t.id desc limit 1) t on true
  where e.send_id = any(${p.sends}) and e.account_id = ${p.account} and e.id >= ${p.lowest}
  order by d.id limit ${p.limit}`,
});
