/** The configuration of `vonage` (contract §12). */
import { z } from 'zod';
import { baseUrl } from '../http/base-url.ts';

const printable = (max: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII');

/** The config, checked. */
export const vonageConfig = z
  .strictObject({
    apiKey: printable(64).meta({ title: 'API key', description: 'As in the Vonage dashboard', group: 'who' }),
    apiSecret: printable(128).meta({ title: 'API secret', description: 'Of the same key', group: 'who', secret: true }),
    signatureSecret: printable(128).optional().meta({
      title: 'Signature secret',
      description:
        'Where it is given, only receipts that are signed with it are believed: turn signed webhooks on, with the method SHA-256 HMAC or SHA-512 HMAC',
      group: 'who',
      secret: true,
    }),
    baseUrl: baseUrl('https://rest.nexmo.com'),
  })
  .meta({ title: 'Vonage', description: 'SMS by Vonage' });

/** A config of Vonage. */
export type VonageConfig = z.output<typeof vonageConfig>;
