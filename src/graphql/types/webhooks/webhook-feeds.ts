/** Webhooks as they happen, in GraphQL: `webhookEventAdded` and `webhookTryAdded`. */

import type { WebhookTry } from '../../../modules/webhooks/deliveries/webhook-try.entity.ts';
import { describeEventData, type ToldEvent, webhookBody } from '../../../modules/webhooks/events/webhook-events.ts';
import { followEventsInput, followWebhookEvents } from '../../../modules/webhooks/feeds/follow-events.ts';
import { followWebhookTries } from '../../../modules/webhooks/feeds/follow-tries.ts';
import { builder } from '../../builder.ts';
import { argsFrom } from '../../from-zod.ts';
import { WebhookTryRef } from './webhook-deliveries.ts';

const BODY = `The body of its deliveries, character for character: what signatures are made over. JSON
\`{"id", "event", "createdAt", "accountId", "data"}\`; times are ISO 8601 in UTC. Tests of endpoints have \`"test": true\` in \`data\`, which is
${describeEventData()}`;

const WebhookEventRef = builder.objectRef<ToldEvent>('WebhookEvent').implement({
  description: 'One state change, as webhooks are told of it.',
  fields: t => ({
    id: t.member('id', 'ID', 'Id of the event, the same at every delivery of it.'),
    eventId: t.member('id', 'String', 'The same as `id`.'),
    event: t.member('event', 'WebhookEventName', 'What happened.'),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it happened, to the millisecond; the body has it to the microsecond.',
      resolve: ({ createdAt }) => new Date(createdAt),
    }),
    accountId: t.member('accountId', 'String', 'The account that it happened to.'),
    body: t.string({
      description: BODY,
      resolve: webhookBody,
    }),
  }),
});

builder.subscriptionField('webhookEventAdded', t =>
  t.field({
    type: WebhookEventRef,
    description:
      'Each event of the account as it happens, whether or not an endpoint subscribes to it; once more when a redelivery of it, or a test, is tried. Tokens: management.',
    policy: { opens: ['management'], plan: 'every' },
    ...argsFrom(followEventsInput),
    subscribe: (_root, args, ctx) => followWebhookEvents(ctx, args),
    resolve: (event: ToldEvent) => event,
  }),
);

builder.subscriptionField('webhookTryAdded', t =>
  t.field({
    type: WebhookTryRef,
    description:
      'Each try to deliver an event, as soon as its outcome is stored, whichever process made it. Tokens: management.',
    policy: { opens: ['management'] },
    args: { endpointId: t.arg.string({ description: 'Only those of this endpoint.' }) },
    subscribe: (_root, { endpointId }, ctx) => followWebhookTries(ctx, { endpointId }),
    resolve: (made: WebhookTry) => made,
  }),
);
