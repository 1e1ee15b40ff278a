/** Attempts that changed long after they were made: figures hold them as what they were. */
import { defineEntity, p } from '@mikro-orm/core';

/** One late change. */
export const LateAttempt = defineEntity({
  name: 'LateAttempt',
  tableName: 'late_attempts',
  properties: {
    attemptId: p.uuid().primary(),
    /** The status that it was raised to: an attempt is raised to each once, so no two changes share a row. */
    status: p.text().primary(),
    accountId: p.uuid(),
    wasStatus: p.text(),
    wasErrorCode: p.text().nullable(),
    wasCredits: p.integer(),
    /** Whether its provider had taken it, or may have. */
    wasLeft: p.boolean(),
    wasFinishedAt: p.datetime().nullable(),
  },
});
