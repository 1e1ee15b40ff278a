/** The operations on webhooks, with the shapes of their answers. */
import { z } from 'zod';
import { operation, text, time, word } from './operation.ts';

const webhookEndpoint = z.object({
  endpointId: text,
  url: text,
  events: z.array(text),
  description: text.nullable(),
  status: word,
  disabledReason: word.nullable(),
  disabledAt: time.nullable(),
  failingSince: time.nullable(),
  circuitOpenUntil: time.nullable(),
  previousSecretUntil: time.nullable(),
  createdAt: time,
  updatedAt: time,
});
const webhookEndpointFields = `endpointId url events description status disabledReason disabledAt failingSince
  circuitOpenUntil previousSecretUntil createdAt updatedAt`;
const webhookSecret = z.object({ endpoint: z.object({ endpointId: text, url: text }), secret: text });

const webhookDelivery = z.object({
  deliveryId: text,
  endpointId: text,
  eventId: text,
  event: text,
  isTest: z.boolean(),
  status: word,
  tryCount: z.int(),
  nextTryAt: time.nullable(),
  httpStatus: z.int().nullable(),
  error: text.nullable(),
  createdAt: time,
  finishedAt: time.nullable(),
});
const webhookDeliveryFields = `deliveryId endpointId eventId event isTest status tryCount nextTryAt httpStatus error
  createdAt finishedAt`;
const webhookTry = z.object({
  id: text,
  deliveryId: text,
  endpointId: text,
  number: z.int(),
  httpStatus: z.int().nullable(),
  durationMs: z.int(),
  error: text.nullable(),
  errorMessage: text.nullable(),
  response: text.nullable(),
  createdAt: time,
});
const webhookTryFields = 'id deliveryId endpointId number httpStatus durationMs error errorMessage response createdAt';
const webhookDeliveryDetail = webhookDelivery.extend({ body: text.nullable(), tries: z.array(webhookTry) });
const webhookRedelivery = z.object({ count: z.int() });

const webhookEvent = z.object({ id: text, event: text, createdAt: time, body: text });

/** A webhook endpoint without its secret, as commands show it. */
export type WebhookEndpointData = z.output<typeof webhookEndpoint>;
/** A delivery of an event to an endpoint, as commands show it. */
export type WebhookDeliveryData = z.output<typeof webhookDelivery>;
/** A try of a delivery, as commands show it. */
export type WebhookTryData = z.output<typeof webhookTry>;
/** A delivery with its body and every try of it, as `webhooks delivery` shows it. */
export type WebhookDeliveryDetailData = z.output<typeof webhookDeliveryDetail>;
/** How many deliveries begin again, as `webhooks redeliver` and `recover` show it. */
export type WebhookRedeliveryData = z.output<typeof webhookRedelivery>;
/** An event with the body of its deliveries, as `webhooks listen` forwards it. */
export type WebhookEventData = z.output<typeof webhookEvent>;

/** The operations on webhooks by name. */
export const WEBHOOK_OPERATIONS = {
  webhookEndpoints: operation(
    `query WebhookEndpoints($page: Int) {
      result: webhookEndpoints(page: $page) { rows { ${webhookEndpointFields} } page pageSize total }
    }`,
    z.object({ rows: z.array(webhookEndpoint), page: z.int(), pageSize: z.int(), total: z.int() }),
  ),
  createWebhookEndpoint: operation(
    `mutation CreateWebhookEndpoint($input: CreateWebhookEndpointInput!) {
      result: createWebhookEndpoint(input: $input) { endpoint { endpointId url } secret }
    }`,
    webhookSecret,
  ),
  updateWebhookEndpoint: operation(
    `mutation UpdateWebhookEndpoint($input: UpdateWebhookEndpointInput!) {
      result: updateWebhookEndpoint(input: $input) { ${webhookEndpointFields} }
    }`,
    webhookEndpoint,
  ),
  enableWebhookEndpoint: operation(
    `mutation EnableWebhookEndpoint($endpointId: String!) {
      result: enableWebhookEndpoint(endpointId: $endpointId) { ${webhookEndpointFields} }
    }`,
    webhookEndpoint,
  ),
  deleteWebhookEndpoint: operation(
    `mutation DeleteWebhookEndpoint($endpointId: String!) {
      result: deleteWebhookEndpoint(endpointId: $endpointId) { ${webhookEndpointFields} }
    }`,
    webhookEndpoint,
  ),
  rotateWebhookSecret: operation(
    `mutation RotateWebhookSecret($endpointId: String!) {
      result: rotateWebhookSecret(endpointId: $endpointId) { endpoint { endpointId url } secret }
    }`,
    webhookSecret,
  ),
  webhookDeliveries: operation(
    `query WebhookDeliveries($endpointId: String!, $first: Int, $filter: WebhookDeliveryFilter) {
      result: webhookDeliveries(endpointId: $endpointId, first: $first, filter: $filter) {
        edges { node { ${webhookDeliveryFields} } }
      }
    }`,
    z.object({ edges: z.array(z.object({ node: webhookDelivery })) }),
  ),
  webhookDelivery: operation(
    `query WebhookDelivery($deliveryId: String!) {
      result: webhookDelivery(deliveryId: $deliveryId) {
        ${webhookDeliveryFields} body tries { ${webhookTryFields} }
      }
    }`,
    webhookDeliveryDetail.nullable(),
  ),
  redeliverWebhook: operation(
    `mutation RedeliverWebhook($deliveryId: String!) {
      result: redeliverWebhook(deliveryId: $deliveryId) { ${webhookDeliveryFields} }
    }`,
    webhookDelivery,
  ),
  redeliverWebhooks: operation(
    `mutation RedeliverWebhooks($endpointId: String!, $filter: WebhookRedeliveryFilter) {
      result: redeliverWebhooks(endpointId: $endpointId, filter: $filter) { count }
    }`,
    webhookRedelivery,
  ),
  recoverWebhooks: operation(
    `mutation RecoverWebhooks($endpointId: String!, $since: DateTime!) {
      result: recoverWebhooks(endpointId: $endpointId, since: $since) { count }
    }`,
    webhookRedelivery,
  ),
  testWebhookEndpoint: operation(
    `mutation TestWebhookEndpoint($endpointId: String!, $event: WebhookEventName) {
      result: testWebhookEndpoint(endpointId: $endpointId, event: $event) { ${webhookTryFields} }
    }`,
    webhookTry,
  ),
  webhookEventAdded: operation(
    `subscription WebhookEventAdded($events: [WebhookEventName!]) {
      result: webhookEventAdded(events: $events) { id event createdAt body }
    }`,
    webhookEvent,
  ),
  webhookTryAdded: operation(
    `subscription WebhookTryAdded($endpointId: String) {
      result: webhookTryAdded(endpointId: $endpointId) { ${webhookTryFields} }
    }`,
    webhookTry,
  ),
} as const;
