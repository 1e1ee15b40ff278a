/** The inputs of reading OTPs: the list, and the summary for dashboards. */
import { z } from 'zod';
import { pageInput } from '../../../db/page.ts';
import { CHANNELS } from '../../../kernel/channel.ts';
import { OTP_STATUSES } from '../../../kernel/status.ts';
import { recipientInput } from '../../routing/route.input.ts';

const timeInput = z.date('must be a date and time').nullish();

/** Which OTPs: `channel` is the first that was accepted, the time is that of the send. What is absent (or null) does not narrow. */
const otpFilterInput = z.strictObject({
  status: z.enum(OTP_STATUSES, `must be one of ${OTP_STATUSES.join(', ')}`).nullish(),
  channel: z.enum(CHANNELS, `must be one of ${CHANNELS.join(', ')}`).nullish(),
  recipient: recipientInput.nullish(),
  /** Inclusive. */
  from: timeInput,
  /** Exclusive. */
  to: timeInput,
});

/** The input of `listOtps`. */
export const listOtpsInput = pageInput.extend({ filter: otpFilterInput.nullish() });

/** What the edges hand to `listOtps`. */
export type ListOtpsInput = z.infer<typeof listOtpsInput>;

/** What the rows of a summary can be apart by. */
export const SUMMARY_KEYS = ['day', 'channel', 'country'] as const;

/** The input of `summarizeOtps`. */
export const summarizeOtpsInput = z.strictObject({
  /** Inclusive; absent: the beginning of the UTC day 29 days before the last one. */
  from: timeInput,
  /** Exclusive; absent: now. */
  to: timeInput,
  /** Absent: all of them; none: one row for everything. */
  by: z.array(z.enum(SUMMARY_KEYS, `must be one of ${SUMMARY_KEYS.join(', ')}`)).nullish(),
});

/** What the edges hand to `summarizeOtps`. */
export type SummarizeOtpsInput = z.infer<typeof summarizeOtpsInput>;
