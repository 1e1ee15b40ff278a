/** The configuration of `whatsapp-cloud` (contract §12). */
import { z } from 'zod';
import { intBetween } from '../../kernel/input.ts';
import { baseUrl } from '../http/base-url.ts';

/** The version of the Graph API where a config names none: each lives for about two years. */
const VERSION = 'v26.0';

const printable = (max: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without blanks');

const graphId = z.string().regex(/^[0-9]{1,32}$/, 'must have 1 to 32 digits: the id that Meta shows, not the number');

/** The config, checked. */
export const whatsAppConfig = z
  .strictObject({
    phoneNumberId: graphId.meta({
      title: 'Phone number ID',
      description: 'The id of the number, as in the WhatsApp Manager; not the number itself',
      group: 'who',
    }),
    accessToken: printable(1_024).meta({
      title: 'Access token',
      description: 'Of a system user with the right whatsapp_business_messaging',
      group: 'who',
      secret: true,
    }),
    appSecret: printable(128).meta({
      title: 'App secret',
      description: 'Of the app in its basic settings: Meta signs its callbacks with it',
      group: 'who',
      secret: true,
    }),
    verifyToken: printable(255).meta({
      title: 'Verify token',
      description: 'A word of your own, which you give to Meta together with the address of callbacks',
      group: 'who',
      secret: true,
    }),
    businessAccountId: graphId.optional().meta({
      title: 'Business account ID',
      description: 'The id of the WhatsApp business account: templates are read from it',
      group: 'who',
    }),
    throughput: intBetween(1, 1_000, 'must be a whole number').default(80).meta({
      title: 'Throughput',
      description: 'Messages a second that Meta allows the number; what comes in counts too',
      group: 'tuning',
    }),
    version: z
      .string()
      .regex(/^v[1-9][0-9]{0,2}\.[0-9]{1,2}$/, 'must be a version of the Graph API, like v26.0')
      .default(VERSION)
      .meta({ title: 'Graph version', description: 'The version of the Graph API', group: 'tuning' }),
    baseUrl: baseUrl('https://graph.facebook.com'),
  })
  .meta({ title: 'WhatsApp Cloud', description: 'WhatsApp by the cloud API of Meta' });

/** A config of WhatsApp Cloud. */
export type WhatsAppConfig = z.output<typeof whatsAppConfig>;
