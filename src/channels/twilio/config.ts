/** The configuration of `twilio` (contract §12). */
import { z } from 'zod';
import { baseUrl } from '../http/base-url.ts';

/** The config, checked. */
export const twilioConfig = z
  .strictObject({
    accountSid: z
      .string()
      .regex(/^AC[0-9a-fA-F]{32}$/, 'must be AC and 32 hexadecimal digits')
      .meta({
        title: 'Account SID',
        description: 'AC and 32 hexadecimal digits, as in the Twilio console',
        group: 'who',
      }),
    authToken: z
      .string()
      .regex(/^[\x21-\x7e]{1,128}$/, 'must have 1 to 128 printable characters, none of them a blank')
      .meta({
        title: 'Auth token',
        description: 'Of the same account; its receipts are signed with it',
        group: 'who',
        secret: true,
      }),
    messagingServiceSid: z
      .string()
      .regex(/^MG[0-9a-fA-F]{32}$/, 'must be MG and 32 hexadecimal digits')
      .optional()
      .meta({
        title: 'Messaging service SID',
        description: 'A messaging service that chooses the sender; absent: the sender of the message',
        group: 'tuning',
      }),
    baseUrl: baseUrl('https://api.twilio.com'),
  })
  .meta({ title: 'Twilio', description: 'SMS by Twilio' });

/** A config of Twilio. */
export type TwilioConfig = z.output<typeof twilioConfig>;
