/** Webhook deliveries: one event on its way to one endpoint. The rows are the queue. Partitioned by range of the id, which begins with the time. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../../db/id-type.ts';
import type { WebhookEventName } from '../events/webhook-events.ts';

/** Every status of a delivery. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;

/** The status of a delivery. `dead`: given up, and it can be redelivered. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const WebhookDeliverySchema = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  properties: {
    id: p.type(new IdType('dlv')).primary(),
    accountId: p.type(new IdType('acc')),
    endpointId: p.type(new IdType('whk')),
    eventId: p.type(new IdType('evt')),
    event: p.text().$type<WebhookEventName>(),
    /** Whether it was asked for by a test of the endpoint: tried once, and told of no state change. */
    isTest: p.boolean().default(false),
    /** Whether who follows events is told of its event once more when it is tried: it is a test, or was begun again. */
    tellsAgain: p.boolean().default(false),
    status: p.enum([...DELIVERY_STATUSES]),
    /** Tries that were made, in all. */
    tries: p.integer().default(0),
    /** Tries since it was begun, or begun again: its place in the schedule. */
    step: p.integer().default(0),
    /** When it is tried next; null: it is not pending. */
    nextTryAt: p.datetime().nullable(),
    /** The status of the answer to the last try; null: none came. */
    httpStatus: p.integer().nullable(),
    /** Why the last try failed, or why it was given up without one; null: neither. */
    error: p.text().nullable(),
    /** How many workers died while they may have tried it, since it was settled last; the fifth quarantines it. */
    deaths: p.smallint().default(0),
    /** The worker that tries it, where it is suspected of killing workers; null: nobody, or it is not. */
    triedBy: p.uuid().nullable(),
    createdAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
  },
  indexes: [
    { name: 'webhook_deliveries_endpoint_id_id_index', properties: ['endpointId', 'id'] },
    {
      name: 'webhook_deliveries_due_index',
      properties: ['endpointId', 'nextTryAt'],
      where: "status = 'pending'",
    },
    { name: 'webhook_deliveries_dead_index', properties: ['endpointId', 'id'], where: "status = 'dead'" },
  ],
});

/** One event on its way to one endpoint. */
export class WebhookDelivery extends WebhookDeliverySchema.class {}
WebhookDeliverySchema.setClass(WebhookDelivery);
