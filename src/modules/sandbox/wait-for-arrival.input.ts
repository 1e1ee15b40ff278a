/** The input of the verbs that wait for what comes to a phone of the sandbox. */
import { z } from 'zod';
import { intBetween } from '../../kernel/input.ts';

/** The longest wait of one request, in seconds: proxies in front end what is silent for longer. */
const SECONDS_MAX = 60;

/** The input of `waitForText` and `waitForCode`. */
export const waitForArrivalInput = z.strictObject({
  to: z.string().meta({ description: 'The phone, a number with country code' }),
  timeoutSeconds: intBetween(1, SECONDS_MAX)
    .nullish()
    .meta({ description: 'How many seconds it waits, 1 to 60; 30 where absent' }),
});

/** A valid input of both. */
export type WaitForArrivalInput = z.output<typeof waitForArrivalInput>;
