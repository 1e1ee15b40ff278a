/** The keys of sessions, sealed: what their library keeps of each person and device. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../../db/id-type.ts';

/** One key of a session. */
export const ChatSessionKey = defineEntity({
  name: 'ChatSessionKey',
  tableName: 'chat_session_keys',
  properties: {
    connectionId: p.type(new IdType('con')).primary(),
    /** The library's word for the kind: `session`, `pre-key` … */
    kind: p.text().primary(),
    /** The library's id of it. */
    id: p.text().primary(),
    /** Sealed under the key of `keyId`. */
    value: p.text(),
    keyId: p.string().length(8),
  },
});
