/** The input of the overview. */
import { z } from 'zod';
import { oneOf } from '../../kernel/input.ts';

/** The times that an overview can show. */
export const OVERVIEW_RANGES = ['day', 'week', 'month'] as const;

/** The input of `overview`. */
export const overviewInput = z.strictObject({
  range: oneOf(OVERVIEW_RANGES).nullish().meta({ description: 'The time to show, up to now; absent: `day`' }),
});

/** A valid input of `overview`. */
export type OverviewInput = z.infer<typeof overviewInput>;
