/** The inputs of the verbs that make a phone of the sandbox report. */
import { z } from 'zod';
import { intBetween } from '../../kernel/input.ts';

/** Every status that a phone may report. */
export const SANDBOX_OUTCOMES = ['delivered', 'read', 'failed', 'expired'] as const;

/** One of them. */
export type SandboxOutcome = (typeof SANDBOX_OUTCOMES)[number];

/** The longest delay, in seconds. */
const DELAY_MAX = 3_600;

/** The input of `reportText`. */
export const sandboxReceiptInput = z.strictObject({
  id: z.string().meta({ description: 'Id of the arrival, `sbx_…`' }),
  outcome: z.enum(SANDBOX_OUTCOMES).meta({ description: 'What is reported' }),
});

/** The input of `orderNextReceipt`. */
export const sandboxNextReceiptInput = z.strictObject({
  to: z.string().meta({ description: 'The phone, a number with country code' }),
  outcome: z
    .enum(SANDBOX_OUTCOMES)
    .nullish()
    .meta({ description: 'What is reported; absent: nothing, until `sandboxReceipt` is called' }),
  delaySeconds: intBetween(0, DELAY_MAX)
    .nullish()
    .meta({ description: 'How much later than usual, in seconds, 0 to 3,600; 0 where absent' }),
});
