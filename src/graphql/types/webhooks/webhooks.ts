/** Webhook endpoints in GraphQL: managing them. For `management` tokens and operators who act for an account, while its plan is open. */
import {
  COUNTED_DELIVERIES,
  p95OfEndpoints,
  waitingOfEndpoints,
} from '../../../modules/webhooks/deliveries/endpoint-figures.ts';
import { createEndpointInput, updateEndpointInput } from '../../../modules/webhooks/endpoints/endpoint.input.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  type EndpointPage,
  enableWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  type NewEndpointSecret,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '../../../modules/webhooks/endpoints/manage-endpoints.ts';
import { requireWebhookCaller } from '../../../modules/webhooks/endpoints/webhook-caller.ts';
import { WebhookEndpoint } from '../../../modules/webhooks/endpoints/webhook-endpoint.entity.ts';
import { EVENTS, sampleBody, type WebhookEventName } from '../../../modules/webhooks/events/webhook-events.ts';
import { builder } from '../../builder.ts';
import { byInput } from '../../from-zod.ts';
import { WebhookDisabledReasonEnum, WebhookEndpointStatusEnum } from './webhook-enums.ts';

/** The policy of the fields of webhooks. The plan is asked for before the input is looked at. */
export const webhookPolicy = { opens: ['management'], plan: 'every' } as const;

/** `WebhookEndpoint` */
const WebhookEndpointRef = builder.objectType(WebhookEndpoint, {
  name: 'WebhookEndpoint',
  description:
    'A URL of the account that events are delivered to. Its secret is shown when it is made, and nowhere else.',
  fields: t => ({
    id: t.member('id', 'ID', 'The same as `endpointId`, for client caches.'),
    endpointId: t.member('id', 'String', 'Id of the endpoint, `whk_…`.'),
    url: t.member('url', 'String', 'Where events are posted to.'),
    events: t.member('events', ['WebhookEventName'], 'The events that it gets.'),
    description: t.nullable('description', 'String', 'What it is for, for people; null: not told.'),
    status: t.member('status', WebhookEndpointStatusEnum, 'Whether events are delivered to it.'),
    disabledReason: t.nullable(
      'disabledReason',
      WebhookDisabledReasonEnum,
      'Why the gateway has given it up; null: it has not.',
    ),
    disabledAt: t.nullable('disabledAt', 'DateTime', 'When the gateway gave it up; null: it has not.'),
    failingSince: t.nullable(
      'failingSince',
      'DateTime',
      'The first failed try since the last that succeeded; null: it is not failing.',
    ),
    failedTries: t.member('failures', 'NonNegativeInt', 'Tries that failed since the last that succeeded.'),
    waitingDeliveries: t.loadable({
      type: 'NonNegativeInt',
      description: 'Deliveries that wait for their next try; 1,000 means that many or more.',
      resolve: ({ id }) => id,
      load: (ids: string[], ctx) => waitingOfEndpoints(ctx, ids),
      loaderOptions: { cache: false },
    }),
    circuitOpenUntil: t.nullable(
      'circuitOpenUntil',
      'DateTime',
      'Until when it is left in peace, after too many failures; once that is past, one try decides. Null: it is not.',
    ),
    previousSecretUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Until when the secret before the last rotation signs too; null: it does not.',
      resolve: ({ previousSecretUntil: until }, _args, ctx) => (until && until > ctx.clock.now() ? until : null),
    }),
    p95Ms: t.loadable({
      type: 'NonNegativeInt',
      nullable: true,
      description: `95 % of the tries of its newest ${COUNTED_DELIVERIES} deliveries took at most so many milliseconds; null: none was made.`,
      resolve: ({ id }) => id,
      load: (ids: string[], ctx) => p95OfEndpoints(ctx, ids),
      loaderOptions: { cache: false },
    }),
    createdAt: t.member('createdAt', 'DateTime', 'When it was created.'),
    updatedAt: t.member('updatedAt', 'DateTime', 'When its account changed it last.'),
  }),
});

const WebhookEndpointPageRef = builder.objectRef<EndpointPage>('WebhookEndpointPage').implement({
  description: 'A page of endpoints, newest first.',
  fields: t => ({
    rows: t.member('rows', [WebhookEndpointRef], 'The endpoints; none beyond the last page.'),
    page: t.member('page', 'Int', 'Which page it is, from 1.'),
    pageSize: t.member('pageSize', 'Int', 'The most rows of a page: 20.'),
    total: t.member('total', 'Int', 'How many endpoints the account has in all.'),
  }),
});

const NewWebhookSecretRef = builder.objectRef<NewEndpointSecret>('NewWebhookSecret').implement({
  description: 'An endpoint with the only sight of the secret that was just made.',
  fields: t => ({
    endpoint: t.member('endpoint', WebhookEndpointRef, 'The endpoint as lists show it.'),
    secret: t.member('secret', 'String', 'What its deliveries are signed with, `whsec_…`, shown this once.'),
  }),
});

const WebhookEventKindRef = builder
  .objectRef<{ event: WebhookEventName; meaning: string; sample: string }>('WebhookEventKind')
  .implement({
    description: 'An event that endpoints can get.',
    fields: t => ({
      event: t.member('event', 'WebhookEventName', 'Its name.'),
      meaning: t.member('meaning', 'String', 'When it is told.'),
      sample: t.member('sample', 'String', 'The body of a test of it, JSON: what a receiver will meet.'),
    }),
  });

const endpointIdArg = { required: true, description: 'The endpoint.' } as const;

builder.queryFields(t => ({
  webhookEventKinds: t.field({
    type: [WebhookEventKindRef],
    description: 'Every event that an endpoint can get, with a sample of its body. Tokens: management.',
    policy: webhookPolicy,
    resolve: (_root, _args, ctx) => {
      const { id } = requireWebhookCaller(ctx);
      const now = ctx.clock.now();
      return EVENTS.map(({ name, meaning }) => ({ event: name, meaning, sample: sampleBody(name, id, now) }));
    },
  }),
  webhookEndpoints: t.field({
    type: WebhookEndpointPageRef,
    description: 'The endpoints of the account, newest first, 20 a page. Tokens: management.',
    policy: webhookPolicy,
    args: { page: t.arg.int({ defaultValue: 1, description: 'Which page, from 1.' }) },
    resolve: (_root, { page }, ctx) => listWebhookEndpoints(ctx, page ?? 1),
  }),
  webhookEndpoint: t.field({
    type: WebhookEndpointRef,
    description: 'An endpoint of the account. Tokens: management.',
    policy: webhookPolicy,
    args: { endpointId: t.arg.string(endpointIdArg) },
    resolve: (_root, { endpointId }, ctx) => getWebhookEndpoint(ctx, endpointId),
  }),
}));

builder.mutationFields(t => ({
  createWebhookEndpoint: t.field({
    type: NewWebhookSecretRef,
    description: 'Creates an endpoint, of which an account has at most 50. Tokens: management.',
    policy: webhookPolicy,
    ...byInput(createEndpointInput, 'The endpoint.', createWebhookEndpoint),
  }),
  updateWebhookEndpoint: t.field({
    type: WebhookEndpointRef,
    description: 'Changes an endpoint, pauses or resumes it. Tokens: management.',
    policy: webhookPolicy,
    ...byInput(updateEndpointInput, 'What changes.', updateWebhookEndpoint),
  }),
  deleteWebhookEndpoint: t.field({
    type: WebhookEndpointRef,
    description:
      'Deletes an endpoint, and answers it as it was. What is pending for it is dead; a try under way may still arrive. Tokens: management.',
    policy: webhookPolicy,
    args: { endpointId: t.arg.string(endpointIdArg) },
    resolve: (_root, { endpointId }, ctx) => deleteWebhookEndpoint(ctx, endpointId),
  }),
  rotateWebhookSecret: t.field({
    type: NewWebhookSecretRef,
    description: 'Gives an endpoint a new secret; the one before signs too for 24 hours. Tokens: management.',
    policy: webhookPolicy,
    args: { endpointId: t.arg.string(endpointIdArg) },
    resolve: (_root, { endpointId }, ctx) => rotateWebhookSecret(ctx, endpointId),
  }),
  enableWebhookEndpoint: t.field({
    type: WebhookEndpointRef,
    description:
      'Enables an endpoint that the gateway has given up, or that is paused. What it missed can then be recovered. Tokens: management.',
    policy: webhookPolicy,
    args: { endpointId: t.arg.string(endpointIdArg) },
    resolve: (_root, { endpointId }, ctx) => enableWebhookEndpoint(ctx, endpointId),
  }),
}));
