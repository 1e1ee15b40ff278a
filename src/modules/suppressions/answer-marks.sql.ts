/** The part of statements that answer words: one answer to a person and word in an hour, whichever process takes the message. */

/** How long the same word of the same person is answered no more, as an SQL interval. */
export const ANSWERED_FOR = "interval '1 hour'";

/**
 * The CTE `marked`: who may be answered by which word. The mark is the lock: of two processes the later one finds what the earlier one wrote.
 * @param due a CTE with each `person_id` and word once @param word its column
 */
export const markedCte = (due: string, word: string): string => `marked as (
    -- In one order, since another process may take the same ones.
    insert into auto_reply_marks as k (person_id, keyword, answered_at)
    select person_id, ${word}, clock_timestamp() from ${due} order by person_id, ${word}
    on conflict (person_id, keyword) do update set answered_at = excluded.answered_at
      where k.answered_at <= clock_timestamp() - ${ANSWERED_FOR}
    returning person_id, keyword
  )`;
