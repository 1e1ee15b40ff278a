/** What the limit of requests per token counts: how full the bucket of a token is. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';

const RequestBucketSchema = defineEntity({
  name: 'RequestBucket',
  tableName: 'request_buckets',
  properties: {
    tokenId: p.type(new IdType('tok')).primary(),
    /** Which requests are counted together: those of OTPs (`otp`), tests of endpoints (`webhook-test`), or all others (`requests`). */
    kind: p.text().primary(),
    /** When the bucket is full again, if nothing is taken from it until then; a time that is over: it is full. */
    fullAt: p.datetime(),
    /** How many of the requests that were counted together last fitted. */
    admitted: p.integer(),
  },
});

/** The bucket that the requests of one token take from. There is one row for each token and kind that was ever used. */
export class RequestBucket extends RequestBucketSchema.class {}
RequestBucketSchema.setClass(RequestBucket);
