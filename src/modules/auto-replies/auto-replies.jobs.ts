/** The job of auto-replies: whoever was answered more than an hour ago may be answered again, and is forgotten. */
import type { Ctx } from '../../context.ts';
import { definePurge } from '../../db/statements/purge.sql.ts';
import { defineRecurring } from '../../queue/kit.ts';
import { ANSWERED_FOR } from '../suppressions/answer-marks.sql.ts';

const purgeMarks = definePurge('auto_reply_marks', 'person_id, keyword', `answered_at <= now() - ${ANSWERED_FOR}`);

/** Deletes the marks that hold nothing back any more. */
export const purgeAutoReplyMarksJob = defineRecurring({
  name: 'purge-auto-reply-marks',
  cron: '37 * * * *',
  run: ({ services: { database } }: Ctx) => purgeMarks(database.sql()),
});
