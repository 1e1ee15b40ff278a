/** The configuration of `chat-qr` (contract §12). */
import { z } from 'zod';
import { intBetween } from '../../kernel/input.ts';
import { NO_PHONE, parsePhone } from '../../kernel/phone.ts';

/** More than five a minute, and more than thirty new people a day, are what numbers were banned for (whatsmeow #506, Baileys #2800). */
const PER_MINUTE = 5;
const NEW_PEOPLE_PER_DAY = 30;

/** The config, checked. */
export const chatQrConfig = z
  .strictObject({
    number: z
      .string()
      .transform((text, ctx) => {
        const digits = parsePhone(text)?.digits;
        if (digits) return digits;
        ctx.addIssue(NO_PHONE);
        return z.NEVER;
      })
      .meta({
        title: 'Number',
        description:
          'With country code. Its phone is linked after saving. WhatsApp may ban the number: use one that you can lose',
        group: 'who',
      }),
    perMinute: intBetween(1, 60, 'must be a whole number').default(PER_MINUTE).meta({
      title: 'Messages a minute',
      description: 'More than 5 a minute have had numbers banned',
      group: 'tuning',
    }),
    newPeoplePerDay: intBetween(1, 1_000, 'must be a whole number').default(NEW_PEOPLE_PER_DAY).meta({
      title: 'New people a day',
      description:
        'How many people the number writes to first within 24 hours. It begins with a seventh of it, and has all after a week',
      group: 'tuning',
    }),
  })
  .meta({ title: 'QR-linked chat', description: 'WhatsApp by a phone that is linked as its apps are' });

/** A config of a QR-linked chat. */
export type ChatQrConfig = z.output<typeof chatQrConfig>;
