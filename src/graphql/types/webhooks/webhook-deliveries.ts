/** Webhook deliveries in GraphQL: their log, redelivery, and tests of endpoints. For whom `webhooks.ts` is, too. */
import {
  getWebhookDelivery,
  listTries,
  listWebhookDeliveries,
  loadBodies,
} from '../../../modules/webhooks/deliveries/list-deliveries.ts';
import { WebhookDelivery } from '../../../modules/webhooks/deliveries/webhook-delivery.entity.ts';
import { WebhookTry } from '../../../modules/webhooks/deliveries/webhook-try.entity.ts';
import { testWebhookEndpoint } from '../../../modules/webhooks/endpoints/test-endpoint.ts';
import {
  recoverWebhooks,
  redeliverWebhook,
  redeliverWebhooks,
} from '../../../modules/webhooks/redelivery/redeliver.ts';
import { builder } from '../../builder.ts';
import { toConnection } from '../../connection.ts';
import { WebhookDeliveryStatusEnum } from './webhook-words.ts';
import { webhookPolicy } from './webhooks.ts';

/** In one request a delivery may be read, made again and read once more. */
const UNCACHED = { cache: false };

/** The words of `judge` in `make-try.ts`, and those of `OUTBOUND_FAULTS` of which a try is made. */
const ERRORS =
  '`bad_status`, `redirect`, `timeout`, `dns_failed`, `address_refused`, `connection_failed`, `tls_failed`, `response_invalid`, `secret_lost`';

/** `WebhookTry` */
export const WebhookTryRef = builder.objectType(WebhookTry, {
  name: 'WebhookTry',
  description: 'One request to an endpoint, and what it answered.',
  fields: t => ({
    id: t.exposeID('id', { description: 'Id of the try, `try_…`.' }),
    deliveryId: t.exposeString('deliveryId', { description: 'The delivery that it was made for.' }),
    endpointId: t.exposeString('endpointId', { description: 'The endpoint that it was made to.' }),
    number: t.expose('number', {
      type: 'PositiveInt',
      description:
        'Which try of its delivery it is, from 1. Two may have one number, where a process died at the first of them.',
    }),
    httpStatus: t.int({
      nullable: true,
      description: 'The HTTP status that the endpoint answered; null: none came.',
      resolve: made => made.httpStatus ?? null,
    }),
    durationMs: t.expose('durationMs', { type: 'NonNegativeInt', description: 'How long it took, in milliseconds.' }),
    error: t.string({
      nullable: true,
      description: `Why it failed, in a word: ${ERRORS}; null: the endpoint acknowledged it.`,
      resolve: made => made.error ?? null,
    }),
    errorMessage: t.string({
      nullable: true,
      description: 'Why it failed, in a sentence; null: the endpoint acknowledged it.',
      resolve: made => made.errorMessage ?? null,
    }),
    response: t.string({
      nullable: true,
      description: 'What the endpoint answered, the first KiB of it; null: nothing.',
      resolve: made => made.response ?? null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was over.' }),
  }),
});

/** `WebhookDelivery` */
const WebhookDeliveryRef = builder.objectType(WebhookDelivery, {
  name: 'WebhookDelivery',
  description: 'One event on its way to one endpoint, with every try that was made for it.',
  fields: t => ({
    id: t.exposeID('id', { description: 'The same as `deliveryId`, for client caches.' }),
    deliveryId: t.exposeString('id', { description: 'Id of the delivery, `dlv_…`, the same at every try of it.' }),
    endpointId: t.exposeString('endpointId', { description: 'The endpoint that it goes to.' }),
    eventId: t.exposeString('eventId', { description: 'The event that it tells of.' }),
    event: t.expose('event', { type: 'WebhookEventName', description: 'What happened.' }),
    isTest: t.exposeBoolean('isTest', {
      description: 'Whether it is a test of the endpoint, which is tried once and tells of nothing that happened.',
    }),
    status: t.expose('status', { type: WebhookDeliveryStatusEnum, description: 'Where it stands.' }),
    tryCount: t.expose('tries', { type: 'NonNegativeInt', description: 'How many tries were made, in all.' }),
    tries: t.loadableList({
      type: WebhookTryRef,
      description: 'The tries in the order in which they were made.',
      resolve: ({ id }) => id,
      load: (ids: string[], ctx) => listTries(ctx, ids),
      loaderOptions: UNCACHED,
    }),
    nextTryAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it is tried next; null: it is not pending.',
      resolve: delivery => delivery.nextTryAt ?? null,
    }),
    httpStatus: t.int({
      nullable: true,
      description: 'The HTTP status that the endpoint answered to the last try; null: none came.',
      resolve: delivery => delivery.httpStatus ?? null,
    }),
    error: t.string({
      nullable: true,
      description:
        'Why the last try failed, in a word as `WebhookTry.error` has it, or why it was given up without one (`endpoint_disabled`, `endpoint_deleted`, and `quarantined` where three workers died over it); null: neither.',
      resolve: delivery => delivery.error ?? null,
    }),
    body: t.loadable({
      type: 'String',
      nullable: true,
      description: 'The body, character for character the same at every try; null: the event is not kept any longer.',
      resolve: ({ eventId }) => eventId,
      load: (ids: string[], ctx) => loadBodies(ctx, ids),
      loaderOptions: UNCACHED,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made: with its event.' }),
    finishedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was acknowledged or given up; null: it is pending.',
      resolve: delivery => delivery.finishedAt ?? null,
    }),
  }),
});

const WebhookDeliveryConnection = builder.connectionObject(
  { type: WebhookDeliveryRef, name: 'WebhookDeliveryConnection', description: 'A page of deliveries.' },
  { name: 'WebhookDeliveryEdge', description: 'A delivery and its cursor.' },
);

const WebhookRedeliveryRef = builder.objectRef<{ count: number }>('WebhookRedelivery').implement({
  description: 'Deliveries that begin again.',
  fields: t => ({
    count: t.expose('count', {
      type: 'NonNegativeInt',
      description: 'How many there are. They begin one after another, 50 a second.',
    }),
  }),
});

const WebhookDeliveryFilter = builder.inputType('WebhookDeliveryFilter', {
  description: 'Which deliveries to list; what is absent does not narrow.',
  fields: t => ({
    status: t.field({ type: WebhookDeliveryStatusEnum, description: 'Deliveries that stand there.' }),
    event: t.field({ type: 'WebhookEventName', description: 'Deliveries of this event.' }),
    httpStatus: t.int({ description: 'Deliveries whose last try was answered so.' }),
    error: t.string({ description: 'Deliveries whose `error` is this word.' }),
    from: t.field({ type: 'DateTime', description: 'Deliveries made at this time or later.' }),
    to: t.field({ type: 'DateTime', description: 'Deliveries made before this time.' }),
  }),
});

const WebhookRedeliveryFilter = builder.inputType('WebhookRedeliveryFilter', {
  description: 'Which deliveries begin again; what is absent does not narrow, but for the status.',
  fields: t => ({
    status: t.field({
      type: WebhookDeliveryStatusEnum,
      description: 'Deliveries that stand there: `DEAD`, as where it is absent, or `DELIVERED`.',
    }),
    event: t.field({ type: 'WebhookEventName', description: 'Deliveries of this event.' }),
    from: t.field({ type: 'DateTime', description: 'Deliveries made at this time or later.' }),
    to: t.field({ type: 'DateTime', description: 'Deliveries made before this time.' }),
  }),
});

const endpointIdArg = { required: true, description: 'The endpoint.' } as const;
const deliveryIdArg = { required: true, description: 'Id of the delivery, `dlv_…`.' } as const;

builder.queryFields(t => ({
  webhookDeliveries: t.field({
    type: WebhookDeliveryConnection,
    description: 'The deliveries to an endpoint of the account, newest first. Tokens: management.',
    policy: webhookPolicy,
    args: {
      endpointId: t.arg.string(endpointIdArg),
      first: t.arg.int({ description: 'How many, 1 to 200; 50 where absent.' }),
      after: t.arg.string({ description: 'The `endCursor` of the page before.' }),
      filter: t.arg({ type: WebhookDeliveryFilter, description: 'Which deliveries.' }),
    },
    resolve: async (_root, args, ctx) => toConnection(await listWebhookDeliveries(ctx, args)),
  }),
  webhookDelivery: t.field({
    type: WebhookDeliveryRef,
    nullable: true,
    description: 'A delivery of the account; null where there is none. Tokens: management.',
    policy: webhookPolicy,
    args: { deliveryId: t.arg.string(deliveryIdArg) },
    resolve: (_root, { deliveryId }, ctx) => getWebhookDelivery(ctx, deliveryId),
  }),
}));

builder.mutationFields(t => ({
  redeliverWebhook: t.field({
    type: WebhookDeliveryRef,
    description:
      'Makes a delivery again at once, with the same id and body, and its tries from the beginning; one that is pending is tried now. Tokens: management.',
    policy: webhookPolicy,
    args: { deliveryId: t.arg.string(deliveryIdArg) },
    resolve: (_root, { deliveryId }, ctx) => redeliverWebhook(ctx, deliveryId),
  }),
  redeliverWebhooks: t.field({
    type: WebhookRedeliveryRef,
    description:
      'Makes the deliveries to an endpoint again that pass the filter: the dead ones, unless it says otherwise. Tokens: management.',
    policy: webhookPolicy,
    args: {
      endpointId: t.arg.string(endpointIdArg),
      filter: t.arg({ type: WebhookRedeliveryFilter, description: 'Which deliveries.' }),
    },
    resolve: (_root, args, ctx) => redeliverWebhooks(ctx, args),
  }),
  recoverWebhooks: t.field({
    type: WebhookRedeliveryRef,
    description:
      'Makes again what an endpoint missed: every delivery made since a time that was given up (those too that were never tried because it was disabled), or failed and waits for its next try. Tokens: management.',
    policy: webhookPolicy,
    args: {
      endpointId: t.arg.string(endpointIdArg),
      since: t.arg({ type: 'DateTime', required: true, description: 'Deliveries made at this time or later.' }),
    },
    resolve: (_root, args, ctx) => recoverWebhooks(ctx, args),
  }),
  testWebhookEndpoint: t.field({
    type: WebhookTryRef,
    description:
      'Delivers a sample of an event to an endpoint, whatever its status, and answers that one try. At most 10 a minute. Tokens: management.',
    policy: { ...webhookPolicy, deadlineFor: 'nobody' },
    args: {
      endpointId: t.arg.string(endpointIdArg),
      event: t.arg({ type: 'WebhookEventName', description: 'Which event; absent: the first that the endpoint gets.' }),
    },
    resolve: (_root, args, ctx) => testWebhookEndpoint(ctx, args),
  }),
}));
