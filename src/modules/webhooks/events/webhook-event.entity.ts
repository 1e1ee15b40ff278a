/** Webhook events: one state change each, as it was told. Partitioned by range of the id, whose first 48 bits are the time. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../../db/id-type.ts';
import type { WebhookEventName } from './webhook-events.ts';

const WebhookEventSchema = defineEntity({
  name: 'WebhookEvent',
  tableName: 'webhook_events',
  properties: {
    id: p.type(new IdType('evt')).primary(),
    accountId: p.type(new IdType('acc')),
    /** The uuid of the message or the OTP that it tells of; null: of neither, or it was told by an older gateway. */
    sendId: p.uuid().nullable(),
    event: p.text().$type<WebhookEventName>(),
    /** Kept as the text of its JSON, so that every try sends the same bytes. */
    data: p.text(),
    /** Kept to the microsecond, as text in the body. */
    createdAt: p.datetime(6),
  },
  indexes: [{ name: 'webhook_events_send_id_index', properties: ['sendId'], where: 'send_id is not null' }],
});

/** One state change. */
export class WebhookEvent extends WebhookEventSchema.class {}
WebhookEventSchema.setClass(WebhookEvent);
