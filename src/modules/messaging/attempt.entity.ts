/**
 * Attempts: one try to hand a message (or an OTP) to one provider over one channel. They are the log as well (contract §6), so
 * the recipient, the sender and the reference stand in the row: a filter of the log touches no other table.
 */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';
import { CHANNELS } from '../../kernel/channel.ts';
import { AREAS } from '../../kernel/secrets.ts';
import { STATUSES } from '../../kernel/status.ts';

/** What an entry of the log tells about. */
export const LOG_TYPES = [
  'message_attempt',
  'otp_attempt',
  'otp_verified',
  'otp_incorrect',
  'otp_expired',
  'otp_blocked',
] as const;

const AttemptSchema = defineEntity({
  name: 'Attempt',
  tableName: 'attempts',
  properties: {
    id: p.type(new IdType('att')).primary(),
    accountId: p.type(new IdType('acc')),
    area: p.enum([...AREAS]),
    type: p.enum([...LOG_TYPES]),
    messageId: p.type(new IdType('msg')).nullable(),
    pinId: p.text().nullable(),
    channel: p.enum([...CHANNELS]),
    provider: p.text(),
    recipient: p.text(),
    sender: p.text().nullable(),
    reference: p.text().nullable(),
    status: p.enum([...STATUSES]),
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
    segments: p.integer(),
    /** SMS credits that this attempt costs; 0 where nothing was accepted and on chat channels. */
    credits: p.integer().default(0),
    /** The provider's own id of it, by which a receipt is matched. */
    providerMessageId: p.text().nullable(),
    startedAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
  },
  indexes: [
    { name: 'attempts_account_id_id_index', properties: ['accountId', 'id'] },
    // What a token of one area sees, where the rest of the account may be much more.
    {
      name: 'attempts_account_id_area_id_index',
      properties: ['accountId', 'area', 'id'],
      where: "area <> 'unified'",
    },
    { name: 'attempts_account_id_recipient_id_index', properties: ['accountId', 'recipient', 'id'] },
    { name: 'attempts_message_id_index', properties: ['messageId'] },
    { name: 'attempts_pin_id_index', properties: ['pinId'], where: 'pin_id is not null' },
    {
      name: 'attempts_provider_message_id_index',
      properties: ['providerMessageId'],
      where: 'provider_message_id is not null',
    },
  ],
});

/** One attempt. */
export class Attempt extends AttemptSchema.class {}
AttemptSchema.setClass(Attempt);
