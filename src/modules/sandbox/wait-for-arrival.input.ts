/** The input of the verbs that wait for what comes to a phone of the sandbox. */
import { z } from 'zod';

/** The longest wait of one request, in seconds: proxies in front end what is silent for longer. */
const SECONDS_MAX = 60;

/** The input of `waitForText` and `waitForCode`. */
export const waitForArrivalInput = z.strictObject({
  to: z.string().meta({ description: 'The phone, a number with country code' }),
  timeoutSeconds: z
    .int()
    .min(1, 'must be at least 1')
    .max(SECONDS_MAX, `must be at most ${SECONDS_MAX}`)
    .nullish()
    .meta({ description: 'How many seconds it waits, 1 to 60; 30 where absent' }),
});

/** A valid input of both. */
export type WaitForArrivalInput = z.output<typeof waitForArrivalInput>;
