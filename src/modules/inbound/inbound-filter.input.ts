/** The input of the list of what came in. */
import { z } from 'zod';
import { inOrder, pageInput, timeRange } from '../../db/page.ts';
import { CHANNELS } from '../../kernel/channel.ts';
import { oneOf } from '../../kernel/input.ts';
import { isStorableText, UNSTORABLE } from '../../kernel/storable.ts';
import { recipientInput } from '../routing/route.input.ts';

/** The people are called as in the log, where they are the recipients of what we sent. */
const inboundFilterInput = inOrder(
  z.strictObject({
    channel: oneOf(CHANNELS).nullish().meta({ description: 'Only what came over this channel' }),
    recipient: recipientInput.nullish().meta({ description: 'Only what came from this phone number' }),
    sender: z
      .string()
      .max(255)
      .refine(isStorableText, UNSTORABLE)
      .nullish()
      .meta({ description: 'Only what came to this sender, a number or a name' }),
    ...timeRange,
  }),
).meta({ id: 'InboundFilter', description: 'Which messages to list; what is absent does not narrow' });

/** A valid filter of what came in. */
export type InboundFilter = z.infer<typeof inboundFilterInput>;

/** The input of `listInbound`. */
export const listInboundInput = pageInput.extend({
  filter: inboundFilterInput.nullish().meta({ description: 'Which messages' }),
});

/** A valid input of `listInbound`. */
export type ListInboundInput = z.infer<typeof listInboundInput>;
