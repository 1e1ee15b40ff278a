/** Texts that come in parts, while the parts wait for each other (contract §15): any process may get any of them. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../../db/id-type.ts';

/** One text in parts. */
export const InboundPartial = defineEntity({
  name: 'InboundPartial',
  tableName: 'inbound_partials',
  properties: {
    connectionId: p.type(new IdType('con')).primary(),
    /** The two that write, with the reference that the parts share. */
    key: p.text().primary(),
    /** The message but for its text, as the first part told it. */
    head: p.json<object>(),
    total: p.integer(),
    /** The texts of the parts that have come, by their numbers from 1. */
    parts: p.json<Record<string, string>>(),
    /** Until when they wait. */
    dueAt: p.datetime().index('inbound_partials_due_at_index'),
    /** When the text was told, whole or not; null: it waits. Kept for a while, so that a part that is repeated is none of another text. */
    toldAt: p.datetime().nullable(),
  },
});
