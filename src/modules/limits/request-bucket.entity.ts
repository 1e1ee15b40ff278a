/** The rate limit bucket of a token. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';

const RequestBucketSchema = defineEntity({
  name: 'RequestBucket',
  tableName: 'request_buckets',
  properties: {
    /** A token, or the session of a person. */
    tokenId: p.type(new IdType('tok')).primary(),
    /** `otp`, `webhook-test` (tests of endpoints) or `requests` (all others). */
    kind: p.text().primary(),
    /** When the bucket is full again if nothing more is taken; in the past: it is full. */
    fullAt: p.datetime(),
    /** How many requests of the last counted group fitted. */
    admitted: p.integer(),
  },
});

/** One row for each token and kind that was ever used. */
export class RequestBucket extends RequestBucketSchema.class {}
RequestBucketSchema.setClass(RequestBucket);
