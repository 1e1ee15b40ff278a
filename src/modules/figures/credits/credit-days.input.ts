/** The input of the credits by day. */
import { z } from 'zod';
import { wholeFrom } from '../../../kernel/input.ts';

const DAYS_MAX = 92;

/** The input of `creditDays`. */
export const creditDaysInput = z.strictObject({
  days: wholeFrom(1, DAYS_MAX)
    .nullish()
    .meta({ description: `How many days up to today, 1 to ${DAYS_MAX}; 30 where absent` }),
});

/** A valid input of `creditDays`. */
export type CreditDaysInput = z.infer<typeof creditDaysInput>;
