/** The inputs of reading OTPs: the list, and the summary for dashboards. */
import { z } from 'zod';
import { inOrder, pageInput, timeRange } from '../../../db/page.ts';
import { CHANNELS } from '../../../kernel/channel.ts';
import { oneOf } from '../../../kernel/input.ts';
import { OTP_STATUSES } from '../../../kernel/status.ts';
import { recipientInput } from '../../routing/route.input.ts';

/** The filter of OTPs: `channel` is the first that was accepted, the time is that of the send. Absent or null members do not narrow. */
const otpFilterInput = inOrder(
  z.strictObject({
    status: oneOf(OTP_STATUSES).nullish().meta({ description: 'Only what stands there' }),
    channel: oneOf(CHANNELS).nullish().meta({ description: 'Only those that were accepted by this channel first' }),
    recipient: recipientInput.nullish().meta({ description: 'Only this phone number' }),
    ...timeRange,
  }),
).meta({ id: 'OtpFilter', description: 'Which passcodes to list; what is absent does not narrow' });

/** The input of `listOtps`. */
export const listOtpsInput = pageInput.extend({
  filter: otpFilterInput.nullish().meta({ description: 'Which passcodes' }),
});

/** The input of `listOtps`, checked. */
export type ListOtpsInput = z.infer<typeof listOtpsInput>;

/** The keys that can tell the rows of a summary apart. */
export const SUMMARY_KEYS = ['day', 'channel', 'country'] as const;

/** The input of `summarizeOtps`. */
export const summarizeOtpsInput = inOrder(
  z.strictObject({
    from: timeRange.from.meta({ description: 'From this time; absent: 30 days in UTC, the last one included' }),
    to: timeRange.to.meta({ description: 'Before this time; absent: until now' }),
    by: z.array(oneOf(SUMMARY_KEYS)).nullish().meta({
      description: 'What the rows are apart by; absent: everything; `[]`: one row for all',
    }),
  }),
);

/** The input of `summarizeOtps`, checked. */
export type SummarizeOtpsInput = z.infer<typeof summarizeOtpsInput>;
