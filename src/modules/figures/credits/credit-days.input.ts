/** The input of the credits by day. */
import { z } from 'zod';

const DAYS_MAX = 92;

const MESSAGE = `must be a whole number from 1 to ${DAYS_MAX}`;

/** The input of `creditDays`. */
export const creditDaysInput = z.strictObject({
  days: z
    .int(MESSAGE)
    .min(1, MESSAGE)
    .max(DAYS_MAX, MESSAGE)
    .nullish()
    .meta({ description: `How many days up to today, 1 to ${DAYS_MAX}; 30 where absent` }),
});

/** A valid input of `creditDays`. */
export type CreditDaysInput = z.infer<typeof creditDaysInput>;
