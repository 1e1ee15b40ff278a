/** The job of auto-replies: whoever was answered more than an hour ago may be answered again, and is forgotten. */
import { definePurge } from '../../db/statements/purge.sql.ts';
import { purgeJob } from '../../queue/purge-job.ts';
import { ANSWERED_FOR } from '../suppressions/answer-marks.sql.ts';

const purgeMarks = definePurge('auto_reply_marks', 'person_id, keyword', `answered_at <= now() - ${ANSWERED_FOR}`);

/** Deletes the marks that hold nothing back any more. */
export const purgeAutoReplyMarksJob = purgeJob('purge-auto-reply-marks', '37 * * * *', purgeMarks);
