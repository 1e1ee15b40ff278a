/** The input of the list of messages (contract §6), and the parts that the filter of the log shares with it. */
import { z } from 'zod';
import { pageInput } from '../../db/page.ts';
import { CHANNELS } from '../../kernel/channel.ts';
import { REFERENCE_MESSAGE, REFERENCE_PATTERN } from '../../kernel/reference.ts';
import { STATUSES } from '../../kernel/status.ts';
import { recipientInput } from '../routing/route.input.ts';

/** What both filters know. Every field narrows, and an absent one (or null) does not. */
export const sharedFilter = {
  channel: z.enum(CHANNELS, `must be one of ${CHANNELS.join(', ')}`).nullish(),
  status: z.enum(STATUSES, `must be one of ${STATUSES.join(', ')}`).nullish(),
  recipient: recipientInput.nullish(),
  reference: z.string().regex(REFERENCE_PATTERN, REFERENCE_MESSAGE).nullish(),
  /** Inclusive. */
  from: z.date('must be a date and time').nullish(),
  /** Exclusive. */
  to: z.date('must be a date and time').nullish(),
};

/** Which messages: `channel` is the one that was accepted, the time is that of the acceptance. */
const messageFilterInput = z.strictObject(sharedFilter);

/** The input of `listMessages`. */
export const listMessagesInput = pageInput.extend({ filter: messageFilterInput.nullish() });

/** What the edges hand to `listMessages`. */
export type ListMessagesInput = z.infer<typeof listMessagesInput>;
