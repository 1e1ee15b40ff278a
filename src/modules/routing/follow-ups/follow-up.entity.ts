/**
 * The sends whose accepted channel has time to deliver before the next one follows (contract §14). A row is the fence of that step, and its recovery.
 * The row stands from the settle that accepted to the end of the step, or until a receipt comes in time.
 */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../../db/id-type.ts';
import { SUCCESS_STATUSES } from '../../../kernel/status.ts';

/** The tables of sends, by which a wait says what it is of. */
const KINDS = ['messages', 'otps'] as const;

const FollowUpSchema = defineEntity({
  name: 'FollowUp',
  tableName: 'follow_ups',
  properties: {
    /** The message or the OTP. */
    sendId: p.uuid().primary(),
    accountId: p.type(new IdType('acc')),
    kind: p.enum([...KINDS]),
    /** The attempt that was accepted. */
    attemptId: p.type(new IdType('att')),
    /** The status that it has to reach. */
    wanted: p.enum([...SUCCESS_STATUSES]),
    /** When the next channel follows, by the database's clock; once taken, when another process may take it over. */
    dueAt: p.datetime(),
    /** Whether the next channel is on its way: no receipt takes it back. */
    isTaken: p.boolean().default(false),
  },
  indexes: [{ name: 'follow_ups_kind_due_at_index', properties: ['kind', 'dueAt'] }],
});

/** A send that waits for a receipt. */
export class FollowUp extends FollowUpSchema.class {}
FollowUpSchema.setClass(FollowUp);
