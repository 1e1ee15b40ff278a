/** Messages: one text to one recipient each. Partitioned by range of the id, whose first 48 bits are the time. */
import { defineEntity, p } from '@mikro-orm/core';
import type { CloudTemplate } from '../../channels/contract.ts';
import { IdType } from '../../db/id-type.ts';
import { AREAS } from '../../kernel/crypto/secrets.ts';
import { STATUSES } from '../../kernel/status.ts';
import type { ChannelAttempt } from '../routing/attempt.entity.ts';
import { routingColumns } from '../routing/under-way.ts';

const MessageSchema = defineEntity({
  name: 'Message',
  tableName: 'messages',
  properties: {
    id: p.type(new IdType('msg')).primary(),
    accountId: p.type(new IdType('acc')),
    area: p.enum([...AREAS]),
    /** The recipient in digits-only form. */
    recipient: p.text(),
    text: p.text(),
    cloudTemplate: p.json<CloudTemplate>().nullable(),
    reference: p.text().nullable(),
    status: p.enum([...STATUSES]),
    // Of these `leaseUntil` has no index, which every change would write.
    ...routingColumns(),
    createdAt: p.datetime(),
  },
  indexes: [
    { name: 'messages_account_id_id_index', properties: ['accountId', 'id'] },
    // For tokens of one area, whose messages may be few among those of the account.
    {
      name: 'messages_account_id_area_id_index',
      properties: ['accountId', 'area', 'id'],
      where: "area <> 'unified'",
    },
    {
      name: 'messages_account_id_reference_index',
      properties: ['accountId', 'reference'],
      where: 'reference is not null',
    },
  ],
});

/** One message, with the attempts that were made for it where they are at hand. */
export class Message extends MessageSchema.class {
  /** The attempts, oldest first, when they were loaded with the message; not a column. */
  attempts?: ChannelAttempt[];
  /** Whether its recipient gets it though it asked for no more; not a column: what recovery goes on with asks once more. */
  goesToSuppressed?: boolean;
}
MessageSchema.setClass(Message);
