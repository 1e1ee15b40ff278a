/** Webhook endpoints: the URLs that an account wants its events delivered to. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../../db/id-type.ts';
import type { WebhookEventName } from '../events/webhook-events.ts';

/** Every status of an endpoint. */
export const ENDPOINT_STATUSES = ['enabled', 'paused', 'disabled'] as const;

/** `paused`: its account wants no deliveries now, and they wait; `disabled`: the gateway has given it up, and what it misses can be recovered. */
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

/** Why an endpoint was disabled: it answered 410, or nothing but failures for five days. */
export const DISABLED_REASONS = ['gone', 'failing'] as const;

const WebhookEndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  properties: {
    id: p.type(new IdType('whk')).primary(),
    accountId: p.type(new IdType('acc')),
    url: p.text(),
    events: p.array<WebhookEventName>(),
    description: p.text().nullable(),
    status: p.enum([...ENDPOINT_STATUSES]).default('enabled'),
    disabledReason: p.enum([...DISABLED_REASONS]).nullable(),
    disabledAt: p.datetime().nullable(),
    /** The secret, sealed under the key of `secretKeyId`. */
    secret: p.text(),
    secretKeyId: p.string().length(8),
    /** The secret before the last rotation, which signs as well until `previousSecretUntil`. */
    previousSecret: p.text().nullable(),
    previousSecretKeyId: p.string().length(8).nullable(),
    previousSecretUntil: p.datetime().nullable(),
    /** The first failure since the last success; null: it is not failing. */
    failingSince: p.datetime().nullable(),
    /** Failures since the last success. */
    failures: p.integer().default(0),
    /** Until when its breaker is open; past: the next try is a probe; null: closed. */
    circuitOpenUntil: p.datetime().nullable(),
    /** The worker that delivers to it, and until when that worker is believed alive. */
    leaseBy: p.uuid().nullable(),
    leaseUntil: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  indexes: [{ name: 'webhook_endpoints_account_id_id_index', properties: ['accountId', 'id'] }],
});

/** One URL of an account, with the events that it wants. */
export class WebhookEndpoint extends WebhookEndpointSchema.class {}
WebhookEndpointSchema.setClass(WebhookEndpoint);
