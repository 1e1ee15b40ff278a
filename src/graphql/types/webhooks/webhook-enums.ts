/** The enums of webhooks, and the scalar of their events, whose names have a dot and so are no enum. */
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { DELIVERY_STATUSES } from '../../../modules/webhooks/deliveries/webhook-delivery.entity.ts';
import { DISABLED_REASONS, ENDPOINT_STATUSES } from '../../../modules/webhooks/endpoints/webhook-endpoint.entity.ts';
import { EVENTS, WEBHOOK_EVENTS, type WebhookEventName } from '../../../modules/webhooks/events/webhook-events.ts';
import { builder } from '../../builder.ts';
import { defineEnum, nameScalar } from '../../from-zod.ts';

const EVENT_OF: ReadonlyMap<string, WebhookEventName> = new Map(
  WEBHOOK_EVENTS.flatMap(name => [
    [name, name] as const,
    // As an enum would write it, so that nobody has to remember which of the two it is.
    [name.replace('.', '_').toUpperCase(), name] as const,
  ]),
);

/** The name of an event, as the interface writes it. */
const WebhookEventScalar = new GraphQLScalarType<WebhookEventName, WebhookEventName>({
  name: 'WebhookEventName',
  description: `The name of an event. \`MESSAGE_SENT\` is read as \`message.sent\`.\n\n${EVENTS.map(({ name, meaning }) => `- \`${name}\`: ${meaning}`).join('\n')}`,
  coerceOutputValue: value => read(value),
  coerceInputValue: value => read(value),
  coerceInputLiteral: node => read(node.kind === Kind.STRING || node.kind === Kind.ENUM ? node.value : null, node),
});

builder.addScalarType('WebhookEventName', WebhookEventScalar);
nameScalar(WEBHOOK_EVENTS, 'WebhookEventName');

/** @param node the literal in a document, which gives a fault its place */
function read(value: unknown, node?: ValueNode): WebhookEventName {
  const name = typeof value === 'string' ? EVENT_OF.get(value) : undefined;
  if (name) return name;
  const mend = `must be one of ${WEBHOOK_EVENTS.join(', ')}`;
  throw node ? new GraphQLError(`WebhookEventName ${mend}.`, { nodes: node }) : new GraphQLError(mend);
}

/** `WebhookEndpointStatus` */
export const WebhookEndpointStatusEnum = defineEnum(
  'WebhookEndpointStatus',
  ENDPOINT_STATUSES,
  'Whether events are delivered to an endpoint.',
  {
    enabled: 'They are delivered.',
    paused: 'Its account has paused it: deliveries wait until it is resumed.',
    disabled: 'The gateway has given it up; `disabledReason` says why. What it misses can be recovered.',
  },
);

/** `WebhookDisabledReason` */
export const WebhookDisabledReasonEnum = defineEnum(
  'WebhookDisabledReason',
  DISABLED_REASONS,
  'Why the gateway has given an endpoint up.',
  {
    gone: 'It answered 410 Gone.',
    failing: 'It answered nothing but failures for five days.',
  },
);

/** `WebhookDeliveryStatus` */
export const WebhookDeliveryStatusEnum = defineEnum(
  'WebhookDeliveryStatus',
  DELIVERY_STATUSES,
  'Where a delivery stands.',
  {
    pending: 'It is tried at `nextTryAt`.',
    delivered: 'The endpoint acknowledged it.',
    dead: 'It was given up. It can be redelivered.',
  },
);
