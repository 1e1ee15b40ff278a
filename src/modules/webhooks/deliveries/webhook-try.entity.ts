/** Webhook tries: one request to an endpoint each. Partitioned by range of the id, whose first 48 bits are the time. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../../db/id-type.ts';

const WebhookTrySchema = defineEntity({
  name: 'WebhookTry',
  tableName: 'webhook_tries',
  properties: {
    id: p.type(new IdType('try')).primary(),
    accountId: p.type(new IdType('acc')),
    endpointId: p.type(new IdType('whk')),
    deliveryId: p.type(new IdType('dlv')),
    /** The number of the try within its delivery, from 1. Two tries may have one number: a process had died, or was too slow. */
    number: p.integer(),
    /** The status of the answer; null: none came. */
    httpStatus: p.integer().nullable(),
    /** How long it took, in milliseconds. */
    durationMs: p.integer(),
    /** Why it failed, in a word; null: it did not. */
    error: p.text().nullable(),
    /** Why it failed, in a sentence. */
    errorMessage: p.text().nullable(),
    /** The first KiB of the answer. */
    response: p.text().nullable(),
    /** When it was over. */
    createdAt: p.datetime(),
  },
  indexes: [{ name: 'webhook_tries_delivery_id_index', properties: ['deliveryId'] }],
});

/** One request to an endpoint. */
export class WebhookTry extends WebhookTrySchema.class {}
WebhookTrySchema.setClass(WebhookTry);
