/** Messages that came in. Partitioned by range of the id, whose first 48 bits are the time. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';
import { CHANNELS } from '../../kernel/channel.ts';

const InboundMessageSchema = defineEntity({
  name: 'InboundMessage',
  tableName: 'inbound_messages',
  properties: {
    id: p.type(new IdType('msg')).primary(),
    accountId: p.type(new IdType('acc')),
    /** The connection that it came by; null: a phone of the sandbox wrote it. */
    connectionId: p.type(new IdType('con')).nullable(),
    channel: p.enum([...CHANNELS]),
    /** `text`, or the kind of what else it was. */
    type: p.text(),
    /** The number of the person, digits only; null: the channel tells none. */
    fromNumber: p.text().nullable(),
    /** The channel's own id of the person, where it is no number. */
    fromUserId: p.text().nullable(),
    username: p.text().nullable(),
    /** The sender that it came to: digits, or a name. */
    toAddress: p.text(),
    /** Null: it has none. Empty after `TEXT_RETENTION_DAYS`. */
    text: p.text().nullable(),
    replyTo: p.type(new IdType('msg')).nullable(),
    receivedAt: p.datetime(),
    /** When the person wrote, by the clock of the provider; null: it does not say. */
    sentAt: p.datetime().nullable(),
  },
  indexes: [
    { name: 'inbound_messages_account_id_id_index', properties: ['accountId', 'id'] },
    { name: 'inbound_messages_account_id_from_number_id_index', properties: ['accountId', 'fromNumber', 'id'] },
    {
      name: 'inbound_messages_account_id_from_user_id_id_index',
      properties: ['accountId', 'fromUserId', 'id'],
      where: 'from_user_id is not null',
    },
  ],
});

/** One message that came in. */
export class InboundMessage extends InboundMessageSchema.class {}
InboundMessageSchema.setClass(InboundMessage);
