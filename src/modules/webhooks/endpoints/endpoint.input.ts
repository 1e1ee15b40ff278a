/** The inputs of the verbs on endpoints. */
import { z } from 'zod';
import { oneOf } from '../../../kernel/input.ts';
import { isStorableText, UNSTORABLE } from '../../../kernel/storable.ts';
import { WEBHOOK_EVENTS } from '../events/webhook-events.ts';

/** The longest URL, as it was given and as it is kept. */
const URL_LENGTH_MAX = 2_048;

const DESCRIPTION_LENGTH_MAX = 500;

const URL_TOO_LONG = `must have at most ${URL_LENGTH_MAX} characters`;

/** A URL as it is kept: what `new URL()` makes of it. Its address is checked when it is stored, and at every connection. */
const url = z
  .string()
  .max(URL_LENGTH_MAX, URL_TOO_LONG)
  .transform((text, { addIssue }) => {
    const fault = urlFault(text);
    if (fault === null) return new URL(text).href;
    addIssue({ code: 'custom', message: fault });
    return z.NEVER;
  });

function urlFault(text: string): string | null {
  if (!URL.canParse(text)) return 'must be a URL, like https://example.com/webhooks';
  const { href } = new URL(text);
  // An escaped character is longer than it was.
  if (href.length > URL_LENGTH_MAX) return URL_TOO_LONG;
  // Outside a fragment the sign is always escaped. No request carries a fragment, so whoever wrote one expects what will not happen.
  return href.includes('#') ? 'must have no fragment: leave out # and what follows it' : null;
}

const events = z
  .array(oneOf(WEBHOOK_EVENTS))
  .min(1, 'must name at least one event')
  // Before its repeats are looked for, so that a list of any length costs nothing.
  .max(WEBHOOK_EVENTS.length, 'must name each event once')
  .refine(names => new Set(names).size === names.length, 'must name each event once');

const description = z
  .string()
  .trim()
  .max(DESCRIPTION_LENGTH_MAX, `must have at most ${DESCRIPTION_LENGTH_MAX} characters`)
  .refine(isStorableText, UNSTORABLE)
  .transform(text => text || null);

/** The input of `createWebhookEndpoint`. */
export const createEndpointInput = z
  .strictObject({
    url: url.meta({
      description: 'Where events are posted to: http or https, a public address, at most 2,048 characters, no fragment',
    }),
    events: events.meta({ description: 'The events that it gets, at least one, each once' }),
    description: description.nullish().meta({ description: 'What it is for, for people, at most 500 characters' }),
  })
  .meta({ id: 'CreateWebhookEndpointInput', description: 'A new endpoint' });

/** The input of `updateWebhookEndpoint`. Null takes the description away, and elsewhere changes nothing. */
export const updateEndpointInput = z
  .strictObject({
    endpointId: z.string().meta({ description: 'The endpoint' }),
    url: url.nullish().meta({
      description:
        'Where events are posted to from now on, those that are pending too. Failures of the old URL are forgotten',
    }),
    events: events.nullish().meta({ description: 'The events that it gets from now on, at least one, each once' }),
    description: description
      .nullish()
      .meta({ description: 'What it is for, at most 500 characters; null takes it away' }),
    paused: z.boolean().nullish().meta({
      description:
        'True: deliveries wait from now on. False: they flow again. A disabled endpoint takes neither: enable it',
    }),
  })
  .meta({
    id: 'UpdateWebhookEndpointInput',
    description: 'What changes of an endpoint. What is absent stays as it is',
  });

/** The input of `createWebhookEndpoint`, checked. */
export type CreateEndpointInput = z.output<typeof createEndpointInput>;

/** The input of `updateWebhookEndpoint`, checked. */
export type UpdateEndpointInput = z.output<typeof updateEndpointInput>;
