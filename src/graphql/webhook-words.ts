/** The words of webhooks in GraphQL: the scalar of their events, which have a dot and so are no enum, and their enums. */
import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { DELIVERY_STATUSES } from '../modules/webhooks/webhook-delivery.entity.ts';
import { DISABLED_REASONS, ENDPOINT_STATUSES } from '../modules/webhooks/webhook-endpoint.entity.ts';
import { WEBHOOK_EVENTS, type WebhookEventName } from '../modules/webhooks/webhook-events.ts';
import { builder } from './builder.ts';
import { words } from './words.ts';

const EVENT_OF: ReadonlyMap<string, WebhookEventName> = new Map(
  WEBHOOK_EVENTS.flatMap(name => [
    [name, name] as const,
    // As an enum would write it, so that nobody has to remember which of the two it is.
    [name.replace('.', '_').toUpperCase(), name] as const,
  ]),
);

/** The name of an event, as the interface writes it. */
export const WebhookEventScalar = new GraphQLScalarType<WebhookEventName, WebhookEventName>({
  name: 'WebhookEventName',
  description: `The name of an event: one of ${WEBHOOK_EVENTS.join(', ')}. \`MESSAGE_SENT\` is read as \`message.sent\`.`,
  coerceOutputValue: value => read(value),
  coerceInputValue: read,
  coerceInputLiteral: node => read(node.kind === Kind.STRING || node.kind === Kind.ENUM ? node.value : null),
});

builder.addScalarType('WebhookEventName', WebhookEventScalar);

function read(value: unknown): WebhookEventName {
  const name = typeof value === 'string' ? EVENT_OF.get(value) : undefined;
  if (!name) throw new GraphQLError(`must be one of ${WEBHOOK_EVENTS.join(', ')}`);
  return name;
}

/** `WebhookEndpointStatus` */
export const WebhookEndpointStatusEnum = builder.enumType('WebhookEndpointStatus', {
  description: 'Whether events are delivered to an endpoint.',
  values: words(ENDPOINT_STATUSES, {
    enabled: 'They are delivered.',
    paused: 'Its account has paused it: deliveries wait until it is resumed.',
    disabled: 'The gateway has given it up; `disabledReason` says why. What it misses can be recovered.',
  }),
});

/** `WebhookDisabledReason` */
export const WebhookDisabledReasonEnum = builder.enumType('WebhookDisabledReason', {
  description: 'Why the gateway has given an endpoint up.',
  values: words(DISABLED_REASONS, {
    gone: 'It answered 410 Gone.',
    failing: 'It answered nothing but failures for five days.',
  }),
});

/** `WebhookDeliveryStatus` */
export const WebhookDeliveryStatusEnum = builder.enumType('WebhookDeliveryStatus', {
  description: 'Where a delivery stands.',
  values: words(DELIVERY_STATUSES, {
    pending: 'It is tried at `nextTryAt`.',
    delivered: 'The endpoint acknowledged it.',
    dead: 'It was given up. It can be redelivered.',
  }),
});
