/** The input of the list of messages (contract §6), and the parts that the filter of the log shares with it. */
import { z } from 'zod';
import { inOrder, pageInput, timeRange } from '../../db/page.ts';
import { CHANNELS } from '../../kernel/channel.ts';
import { oneOf } from '../../kernel/input.ts';
import { REFERENCE_MESSAGE, REFERENCE_PATTERN } from '../../kernel/reference.ts';
import { STATUSES } from '../../kernel/status.ts';
import { recipientInput } from '../routing/route.input.ts';

/** The members that the filters of messages and of the log share. Every field narrows, and an absent one (or null) does not. */
export const sharedFilter = {
  channel: oneOf(CHANNELS).nullish().meta({ description: 'Only those that were accepted by this channel first' }),
  status: oneOf(STATUSES).nullish().meta({ description: 'Only what stands there' }),
  recipient: recipientInput.nullish().meta({ description: 'Only this phone number' }),
  reference: z
    .string()
    .regex(REFERENCE_PATTERN, REFERENCE_MESSAGE)
    .nullish()
    .meta({ description: 'Only requests with this reference' }),
  ...timeRange,
};

/** The filter of messages: the time is that of the acceptance. */
const messageFilterInput = inOrder(z.strictObject(sharedFilter)).meta({
  id: 'MessageFilter',
  description: 'Which messages to list; what is absent does not narrow',
});

/** The input of `listMessages`. */
export const listMessagesInput = pageInput.extend({
  filter: messageFilterInput.nullish().meta({ description: 'Which messages' }),
});

/** The input of `listMessages`. */
export type ListMessagesInput = z.infer<typeof listMessagesInput>;
