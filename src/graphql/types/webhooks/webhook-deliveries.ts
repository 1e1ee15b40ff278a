/** Webhook deliveries in GraphQL: their log, redelivery, and tests of endpoints. For whom `webhooks.ts` is, too. */
import {
  listDeliveriesInput,
  recoverInput,
  redeliverInput,
} from '../../../modules/webhooks/deliveries/delivery-filter.input.ts';
import {
  getWebhookDelivery,
  listTries,
  listWebhookDeliveries,
  loadBodies,
} from '../../../modules/webhooks/deliveries/list-deliveries.ts';
import { WebhookDelivery } from '../../../modules/webhooks/deliveries/webhook-delivery.entity.ts';
import { WebhookTry } from '../../../modules/webhooks/deliveries/webhook-try.entity.ts';
import {
  testWebhookEndpoint,
  triggerWebhookEvent,
  type WebhookTrigger,
} from '../../../modules/webhooks/endpoints/test-endpoint.ts';
import {
  recoverWebhooks,
  redeliverWebhook,
  redeliverWebhooks,
} from '../../../modules/webhooks/redelivery/redeliver.ts';
import { builder } from '../../builder.ts';
import { connectionOf, SHORT_PAGES, toConnection } from '../../connection.ts';
import { argsFrom, byArgs } from '../../from-zod.ts';
import { WebhookDeliveryStatusEnum } from './webhook-enums.ts';
import { webhookPolicy } from './webhooks.ts';

/** In one request a delivery may be read, made again and read once more. */
const UNCACHED = { cache: false };

/** The codes of `judge` in `make-try.ts`, and those of `OUTBOUND_FAULTS` of which a try is made. */
const ERRORS =
  '`bad_status`, `redirect`, `timeout`, `dns_failed`, `address_refused`, `connection_failed`, `tls_failed`, `response_invalid`, `secret_lost`';

/** `WebhookTry` */
export const WebhookTryRef = builder.objectType(WebhookTry, {
  name: 'WebhookTry',
  description: 'One request to an endpoint, and what it answered.',
  fields: t => ({
    id: t.member('id', 'ID', 'Id of the try, `try_…`.'),
    deliveryId: t.member('deliveryId', 'String', 'The delivery that it was made for.'),
    endpointId: t.member('endpointId', 'String', 'The endpoint that it was made to.'),
    number: t.member(
      'number',
      'PositiveInt',
      'Which try of its delivery it is, from 1. Two may have one number, where a process died at the first of them.',
    ),
    httpStatus: t.nullable('httpStatus', 'Int', 'The HTTP status that the endpoint answered; null: none came.'),
    durationMs: t.member('durationMs', 'NonNegativeInt', 'How long it took, in milliseconds.'),
    error: t.nullable('error', 'String', `Why it failed, in a word: ${ERRORS}; null: the endpoint acknowledged it.`),
    errorMessage: t.nullable(
      'errorMessage',
      'String',
      'Why it failed, in a sentence; null: the endpoint acknowledged it.',
    ),
    response: t.nullable('response', 'String', 'What the endpoint answered, the first KiB of it; null: nothing.'),
    createdAt: t.member('createdAt', 'DateTime', 'When it was over.'),
  }),
});

/** `WebhookDelivery` */
const WebhookDeliveryRef = builder.objectType(WebhookDelivery, {
  name: 'WebhookDelivery',
  description: 'One event on its way to one endpoint, with every try that was made for it.',
  fields: t => ({
    id: t.member('id', 'ID', 'The same as `deliveryId`, for client caches.'),
    deliveryId: t.member('id', 'String', 'Id of the delivery, `dlv_…`, the same at every try of it.'),
    endpointId: t.member('endpointId', 'String', 'The endpoint that it goes to.'),
    eventId: t.member('eventId', 'String', 'The event that it tells of.'),
    event: t.member('event', 'WebhookEventName', 'What happened.'),
    isTest: t.member(
      'isTest',
      'Boolean',
      'Whether it is a test of the endpoint, which is tried once and tells of nothing that happened.',
    ),
    status: t.member('status', WebhookDeliveryStatusEnum, 'Where it stands.'),
    tryCount: t.member('tries', 'NonNegativeInt', 'How many tries were made, in all.'),
    tries: t.loadableList({
      type: WebhookTryRef,
      description: 'The tries in the order in which they were made.',
      resolve: ({ id }) => id,
      load: (ids: string[], ctx) => listTries(ctx, ids),
      loaderOptions: UNCACHED,
    }),
    nextTryAt: t.nullable('nextTryAt', 'DateTime', 'When it is tried next; null: it is not pending.'),
    httpStatus: t.nullable(
      'httpStatus',
      'Int',
      'The HTTP status that the endpoint answered to the last try; null: none came.',
    ),
    error: t.nullable(
      'error',
      'String',
      'Why the last try failed, in a word as `WebhookTry.error` has it, or why it was given up without one (`endpoint_disabled`, `endpoint_deleted`, and `quarantined` where three workers died over it); null: neither.',
    ),
    body: t.loadable({
      type: 'String',
      nullable: true,
      description: 'The body, character for character the same at every try; null: the event is not kept any longer.',
      resolve: ({ eventId }) => eventId,
      load: (ids: string[], ctx) => loadBodies(ctx, ids),
      loaderOptions: UNCACHED,
    }),
    createdAt: t.member('createdAt', 'DateTime', 'When it was made: with its event.'),
    finishedAt: t.nullable('finishedAt', 'DateTime', 'When it was acknowledged or given up; null: it is pending.'),
  }),
});

const WebhookDeliveryConnection = connectionOf(WebhookDeliveryRef, 'WebhookDelivery', 'deliveries', 'A delivery');

const WebhookRedeliveryRef = builder.objectRef<{ count: number }>('WebhookRedelivery').implement({
  description: 'Deliveries that begin again.',
  fields: t => ({
    count: t.member('count', 'NonNegativeInt', 'How many there are. They begin one after another, 50 a second.'),
  }),
});

const WebhookTriggerRef = builder.objectRef<WebhookTrigger>('WebhookTrigger').implement({
  description: 'What became of a sample of an event.',
  fields: t => ({
    eventId: t.member('eventId', 'String', 'Id of the sample, `evt_…`.'),
    listenerCount: t.member(
      'listenerCount',
      'NonNegativeInt',
      'How many follow such events by `webhookEventAdded` at this moment, and were told of it.',
    ),
    tries: t.member('tries', [WebhookTryRef], 'The only try to each enabled endpoint that gets the event.'),
  }),
});

const deliveryIdArg = { required: true, description: 'Id of the delivery, `dlv_…`.' } as const;

builder.queryFields(t => ({
  webhookDeliveries: t.field({
    type: WebhookDeliveryConnection,
    description: `The deliveries to an endpoint of the account, newest first. ${SHORT_PAGES} Tokens: management.`,
    policy: webhookPolicy,
    ...argsFrom(listDeliveriesInput),
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

/** Fields that deliver again. */
const again = { ...webhookPolicy, right: 'resend' } as const;

builder.mutationFields(t => ({
  redeliverWebhook: t.field({
    type: WebhookDeliveryRef,
    description:
      'Makes a delivery again at once, with the same id and body, and its tries from the beginning; one that is pending is tried now. Tokens: management.',
    policy: again,
    args: { deliveryId: t.arg.string(deliveryIdArg) },
    resolve: (_root, { deliveryId }, ctx) => redeliverWebhook(ctx, deliveryId),
  }),
  redeliverWebhooks: t.field({
    type: WebhookRedeliveryRef,
    description:
      'Makes the deliveries to an endpoint again that pass the filter: the dead ones, unless it says otherwise. Tokens: management.',
    policy: again,
    ...byArgs(redeliverInput, redeliverWebhooks),
  }),
  recoverWebhooks: t.field({
    type: WebhookRedeliveryRef,
    description:
      'Makes again what an endpoint missed: every delivery made since a time that was given up (those too that were never tried because it was disabled), or failed and waits for its next try. Tokens: management.',
    policy: again,
    ...byArgs(recoverInput, recoverWebhooks),
  }),
  testWebhookEndpoint: t.field({
    type: WebhookTryRef,
    description:
      'Delivers a sample of an event to an endpoint, whatever its status, and answers that one try. At most 10 a minute. Tokens: management.',
    policy: { ...webhookPolicy, deadlineFor: 'nobody' },
    args: {
      endpointId: t.arg.string({ required: true, description: 'The endpoint.' }),
      event: t.arg({ type: 'WebhookEventName', description: 'Which event; absent: the first that the endpoint gets.' }),
    },
    resolve: (_root, args, ctx) => testWebhookEndpoint(ctx, args),
  }),
  triggerWebhookEvent: t.field({
    type: WebhookTriggerRef,
    description:
      'Tells of a sample of an event as if it happened, to try receivers with: every enabled endpoint that gets it is tried once, and who follows `webhookEventAdded` is told. Its `data` says `test: true`. At most 10 a minute, tests of endpoints included. Tokens: management.',
    policy: { ...webhookPolicy, deadlineFor: 'nobody' },
    args: { event: t.arg({ type: 'WebhookEventName', required: true, description: 'Which event.' }) },
    resolve: (_root, args, ctx) => triggerWebhookEvent(ctx, args),
  }),
}));
