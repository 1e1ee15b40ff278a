/** OTPs: one to one recipient each. The code and its text are not in the row, but derived (contract §5). A row is purged a day after its time. */
import { defineEntity, p } from '@mikro-orm/core';
import type { CloudTemplate } from '../../channels/contract.ts';
import { IdType } from '../../db/id-type.ts';
import { AREAS } from '../../kernel/crypto/secrets.ts';
import { OTP_STATUSES } from '../../kernel/status.ts';
import type { ChannelAttempt } from '../routing/attempt.entity.ts';
import { routingColumns } from '../routing/under-way.ts';
import type { Autofill } from './send/text.policy.ts';

const OtpSchema = defineEntity({
  name: 'Otp',
  tableName: 'otps',
  properties: {
    /** 128 random bits, not a UUIDv7: nobody can guess it. */
    id: p.type(new IdType('pin')).primary(),
    /** A UUIDv7: the order of the list. */
    position: p.uuid(),
    accountId: p.type(new IdType('acc')),
    area: p.enum([...AREAS]),
    /** The recipient in digits-only form. */
    recipient: p.text(),
    /** Country of the recipient, ISO 3166-1 alpha-2, where the number tells it. */
    country: p.text().nullable(),
    /** The authentication template of the cloud channel; its components are made from the code. */
    cloudTemplate: p.json<CloudTemplate>().nullable(),
    /** Digits of the code. */
    length: p.integer(),
    /** Seconds from the first send to the end of the code. */
    expiresIn: p.integer(),
    /** The text with its placeholders. */
    template: p.text(),
    autofill: p.json<Autofill>().nullable(),
    /** The part of the code's seed beside the id and the key: 32 hex digits, or fewer and the shift of a given code. */
    nonce: p.string().length(32),
    /** The key that the code is derived with; it may be a former one. */
    keyId: p.string().length(8),
    /** HMAC-SHA256 of id and code, 64 hex digits: what a guess is compared with. */
    codeMac: p.string().length(64),
    status: p.enum([...OTP_STATUSES]),
    /** Codes that were tried. */
    attempts: p.integer().default(0),
    /** Codes that may be tried. */
    attemptsMax: p.integer(),
    /** How often it was sent again. */
    resends: p.integer().default(0),
    resendAvailableAt: p.datetime(),
    /** Without an index, which every change of a row would write: the purge may read the day that is kept. */
    expiresAt: p.datetime(),
    verifiedAt: p.datetime().nullable(),
    ...routingColumns(),
    createdAt: p.datetime(),
  },
  indexes: [
    { name: 'otps_account_id_position_index', properties: ['accountId', 'position'] },
    { name: 'otps_lease_until_index', properties: ['leaseUntil'], where: 'lease_until is not null' },
  ],
  uniques: [
    // One live code per account, area and recipient (contract §5).
    {
      name: 'otps_live_unique',
      properties: ['accountId', 'area', 'recipient'],
      where: "status in ('pending', 'sent')",
    },
  ],
});

/** One OTP, with the attempts of its latest send where they are at hand. */
export class Otp extends OtpSchema.class {
  /** The attempts over channels, oldest first, when they were made or loaded with it; not a column. */
  attemptsMade?: ChannelAttempt[];
  /** Whether a recipient who asked for no more texts gets it all the same: the account stops no OTPs. Not a column. */
  goesToSuppressed?: boolean;
}
OtpSchema.setClass(Otp);
