/** Attempts that changed long after they were made: the figures of their hours are counted again. */
import { defineEntity, p } from '@mikro-orm/core';

const LateAttemptSchema = defineEntity({
  name: 'LateAttempt',
  tableName: 'late_attempts',
  properties: {
    attemptId: p.uuid().primary(),
    /** What it was raised to: an attempt is raised to each status once, so that no two changes share a row. */
    status: p.text().primary(),
    accountId: p.uuid(),
  },
});

/** One late change. */
export class LateAttempt extends LateAttemptSchema.class {}
LateAttemptSchema.setClass(LateAttempt);
