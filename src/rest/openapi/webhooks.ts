/** The section `webhooks` of the document: what the gateway posts to the endpoints of an account (contract §7). */
import { z } from 'zod';
import { EVENTS, type EventDefinition, sampleData } from '../../modules/webhooks/events/webhook-events.ts';
import { createWebhookSigner, newWebhookSecret } from '../../modules/webhooks/signatures/webhook-signature.ts';
import { type JsonObject, reference } from './json-schema.ts';

const AT = new Date('2026-11-22T04:29:56.042Z');
const ID = '01a20184b53b7826b7038330006f8bfd';

/** The meaning of each header of a delivery. A test requires one for each header of a signed delivery. */
const MEANINGS: Readonly<Record<string, string>> = {
  'X-Service-Event': 'Name of the event',
  'X-Service-Delivery': 'Id of the delivery, the same at every try',
  'X-Service-Timestamp': 'Unix seconds of this try',
  'X-Service-Signature':
    '`sha256=` and the hex of HMAC-SHA256 over `<delivery>.<timestamp>.<raw body>`, keyed with the secret as it was shown',
  'webhook-id': 'The delivery, for the libraries of Standard Webhooks',
  'webhook-timestamp': 'The timestamp, for the same',
  'webhook-signature': 'The signature after Standard Webhooks, one for each secret that is valid',
};

/** The webhooks. Schemas with an id go to `schemas`. */
export function webhooksOf(schemas: JsonObject): JsonObject {
  return Object.fromEntries(EVENTS.map(event => [event.name, { post: operationOf(event, schemas) }]));
}

function operationOf(event: EventDefinition<(typeof EVENTS)[number]['name']>, schemas: JsonObject): JsonObject {
  const { name, meaning, data } = event;
  const [first = '', second = ''] = name.split('.');
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const { test: _test, ...sample } = sampleData(name, AT) as Record<string, unknown>;
  const value = {
    id: `evt_${ID}`,
    event: name,
    createdAt: '2026-11-22T04:29:56.042000Z',
    accountId: `acc_${ID}`,
    data: sample,
  };
  return {
    operationId: `on${capital(first)}${capital(second)}`,
    tags: ['Webhooks'],
    summary: name,
    description: `Posted when ${meaning}.`,
    security: [],
    parameters: parametersOf(name, JSON.stringify(value)),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: bodyOf(name, reference(data.schema, schemas, 'output')),
          examples: { [name]: { value } },
        },
      },
    },
    responses: {
      '2XX': { description: 'Acknowledges the delivery' },
      410: { description: 'Disables the endpoint' },
      default: { description: 'Tried again: ten tries over 75 hours, later where `Retry-After` says so' },
    },
  };
}

/** The headers of a delivery, with what the gateway's own signer says of the sample. */
function parametersOf(event: string, body: string): JsonObject[] {
  const sign = createWebhookSigner({ current: newWebhookSecret(), previous: null });
  const headers = sign({ event, deliveryId: `dlv_${ID}`, timestamp: Math.floor(AT.getTime() / 1000), body });
  return Object.keys(headers).map(name => ({
    name,
    in: 'header',
    required: true,
    description: MEANINGS[name],
    schema: { type: 'string' },
    // A signature is of no use without the secret.
    ...(/signature/i.test(name) ? {} : { example: headers[name] }),
  }));
}

function bodyOf(event: string, data: JsonObject): JsonObject {
  const envelope = z.object({
    id: z.string().meta({ description: 'Id of the event, the same at every try and redelivery: act on it once' }),
    event: z.literal(event),
    createdAt: z.string().meta({
      format: 'date-time',
      description: 'When the state changed: ISO 8601 in UTC, with microseconds',
    }),
    accountId: z.string().meta({ description: 'The account that it happened to' }),
  });
  const { properties, required } = z.toJSONSchema(envelope);
  return { type: 'object', properties: { ...properties, data }, required: [...(required ?? []), 'data'] };
}
