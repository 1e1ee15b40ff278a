/** Marks of who was answered by which keyword, and when. Two machines that answer each other stop by them. A row is kept for an hour. */
import { defineEntity, p } from '@mikro-orm/core';

/** The last answer to one keyword of one person. */
export const AutoReplyMark = defineEntity({
  name: 'AutoReplyMark',
  tableName: 'auto_reply_marks',
  properties: {
    /** The person, of one account. */
    personId: p.uuid().primary(),
    /** The keyword, or the setting of the account whose text answers STOP or HELP. */
    keyword: p.text().primary(),
    answeredAt: p.datetime(),
  },
});
