/** Attempts that a process hands over to the one that owns the session. Ids are handed over, and never a text: its owner makes it anew. */
import { defineEntity, p } from '@mikro-orm/core';
import type { SendOutcome } from '../../../channels/outcome.ts';
import { IdType } from '../../../db/id-type.ts';

/** One attempt that was handed over. */
export const Handover = defineEntity({
  name: 'Handover',
  tableName: 'handovers',
  properties: {
    attemptId: p.type(new IdType('att')).primary(),
    connectionId: p.type(new IdType('con')),
    /** `msg_…` or `pin_…`; null: a test by hand, whose text is `test`. */
    sendId: p.text().nullable(),
    /** The recipient and the text of a test, as JSON. */
    test: p.json<{ readonly to: string; readonly text: string }>().nullable(),
    /** Whether its recipient gets it though they stopped, as the confirmation of that; null: not said, by a process of the release before. */
    goesToSuppressed: p.boolean().nullable(),
    /** Nobody begins it from then on. */
    deadlineAt: p.datetime(),
    isTaken: p.boolean().default(false),
    /** Null: it is under way, or waits. */
    outcome: p.json<SendOutcome>().nullable(),
  },
  indexes: [{ name: 'handovers_connection_id_index', properties: ['connectionId'] }],
});
