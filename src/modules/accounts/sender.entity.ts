/** Senders: the SMS sender names and chat numbers that an account may send from. */
import { defineEntity, p } from '@mikro-orm/core';
import type { OtpTemplate } from '../../context.ts';
import { IdType } from '../../db/id-type.ts';
import { CHANNELS } from '../../kernel/channel.ts';
import { ownerIn } from './account.entity.ts';

const SenderSchema = defineEntity({
  name: 'Sender',
  tableName: 'senders',
  properties: {
    id: p.type(new IdType('snd')).primary(),
    accountId: () => ownerIn('senders'),
    channel: p.enum([...CHANNELS]),
    /** The sender name (sms) or the number in digits-only form (chat channels). */
    address: p.text(),
    /** When it was approved; null: not yet, so it cannot be used. */
    approvedAt: p.datetime().nullable(),
    /** The sender of requests that name none. */
    isDefault: p.boolean().default(false),
    /** Whether a cloud number sends templates only (contract §4, the default). */
    templateRequired: p.boolean().default(true),
    /** The template with which a cloud number sends codes, if any. */
    otpTemplate: p.json<OtpTemplate>().nullable(),
    createdAt: p.datetime(),
  },
  // Incoming messages of a shared connection find their account by the sender that they were written to.
  indexes: [{ name: 'senders_address_index', properties: ['address'] }],
  uniques: [{ name: 'senders_account_id_channel_address_unique', properties: ['accountId', 'channel', 'address'] }],
});

/** One sender name or chat number of an account. */
export class Sender extends SenderSchema.class {}
SenderSchema.setClass(Sender);
