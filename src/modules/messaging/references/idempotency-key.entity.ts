/** Idempotency keys: the references of requests, unique per account and area for 30 days (contract §4). */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../../db/id-type.ts';
import { AREAS } from '../../../kernel/crypto/secrets.ts';

const IdempotencyKeySchema = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  properties: {
    accountId: p.type(new IdType('acc')).primary(),
    area: p.enum([...AREAS]).primary(),
    reference: p.text().primary(),
    /** SHA-256 of the normalised request, lower-case hex: the same reference with another one is refused. */
    fingerprint: p.string().length(64),
    messageId: p.type(new IdType('msg')),
    /** The first answer; null while the request is still running. */
    answer: p.json<unknown>().nullable(),
    expiresAt: p.datetime().index('idempotency_keys_expires_at_index'),
  },
});

/** One reference of one area of one account. */
export class IdempotencyKey extends IdempotencyKeySchema.class {}
IdempotencyKeySchema.setClass(IdempotencyKey);
