/** The input of the overview. */
import { z } from 'zod';

/** The times that an overview can show. */
export const OVERVIEW_RANGES = ['day', 'week', 'month'] as const;

/** The input of `overview`. */
export const overviewInput = z.strictObject({
  range: z
    .enum(OVERVIEW_RANGES, `must be one of ${OVERVIEW_RANGES.join(', ')}`)
    .nullish()
    .meta({ description: 'The time to show, up to now; absent: `day`' }),
});

/** A valid input of `overview`. */
export type OverviewInput = z.infer<typeof overviewInput>;
