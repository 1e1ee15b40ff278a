/** Orders to phones of the sandbox: the receipt that a phone sends for its next text. */
import { defineEntity, p } from '@mikro-orm/core';
import type { Receipt } from '../../channels/contract.ts';
import { IdType } from '../../db/id-type.ts';

/** One order. */
export const SandboxOrder = defineEntity({
  name: 'SandboxOrder',
  tableName: 'sandbox_orders',
  properties: {
    id: p.uuid().primary(),
    accountId: p.type(new IdType('acc')),
    recipient: p.text(),
    /** The status to report; null: none, until `sandboxReceipt` is called. */
    outcome: p.text().$type<Receipt['status']>().nullable(),
    /** How long after the text's usual report, in seconds. */
    delaySeconds: p.integer(),
    createdAt: p.datetime(),
  },
  indexes: [{ name: 'sandbox_orders_created_at_index', properties: ['createdAt'] }],
  uniques: [{ name: 'sandbox_orders_account_id_recipient_unique', properties: ['accountId', 'recipient'] }],
});
