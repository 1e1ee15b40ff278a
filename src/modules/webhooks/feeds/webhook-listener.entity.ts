/** Webhook listeners: who follows the events of an account as they happen, so that they are written though no endpoint subscribes. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../../db/id-type.ts';
import type { WebhookEventName } from '../events/webhook-events.ts';

/** One that follows the events of an account. */
export const WebhookListener = defineEntity({
  name: 'WebhookListener',
  tableName: 'webhook_listeners',
  properties: {
    id: p.type(new IdType('wls')).primary(),
    accountId: p.type(new IdType('acc')),
    events: p.array<WebhookEventName>(),
    /** Until when the listener is believed there. */
    expiresAt: p.datetime(),
  },
  indexes: [{ name: 'webhook_listeners_account_id_index', properties: ['accountId'] }],
});
