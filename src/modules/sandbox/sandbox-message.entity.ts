/** A message on a phone of the sandbox. The only table with the text of OTPs. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';
import { CHANNELS } from '../../kernel/channel.ts';

const SandboxMessageSchema = defineEntity({
  name: 'SandboxMessage',
  tableName: 'sandbox_messages',
  properties: {
    id: p.type(new IdType('sbx')).primary(),
    accountId: p.type(new IdType('acc')),
    recipient: p.text(),
    channel: p.enum([...CHANNELS]),
    sender: p.text().nullable(),
    text: p.text(),
    createdAt: p.datetime(),
  },
  indexes: [{ name: 'sandbox_messages_account_id_id_index', properties: ['accountId', 'id'] }],
});

/** One message as it arrived on a phone of the sandbox. */
export class SandboxMessage extends SandboxMessageSchema.class {}
SandboxMessageSchema.setClass(SandboxMessage);
