/** The rate limit bucket of a caller. */
import { defineEntity, p } from '@mikro-orm/core';

/** One row for each caller and kind that was ever counted. */
export const RequestBucket = defineEntity({
  name: 'RequestBucket',
  tableName: 'request_buckets',
  properties: {
    /** A token, or the session of a person. */
    callerId: p.uuid().primary().fieldName('token_id'),
    /** `requests`, or `webhook-test` (tests of webhook endpoints and of alert rules). */
    kind: p.text().primary(),
    /** When the bucket is full again if nothing more is taken; in the past: it is full. */
    fullAt: p.datetime(),
    /** How many requests of the last counted group fitted. */
    admitted: p.integer(),
  },
});
