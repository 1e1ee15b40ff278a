/** The part of statements that notes late changes of attempts. */
import { uuid7FloorOf } from '../../../db/statements/uuid7.sql.ts';
import { HAS_LEFT } from '../has-left.sql.ts';

/** Minutes after which a change is late. The log is counted some minutes later than that: whoever changes it meanwhile has committed. */
export const LATE_MINUTES = 3;

/**
 * A CTE that notes those of `raised` that are late, and what they were before: they are counted as that. `raised` has `id`, `status`, `account_id`
 * and the columns of `keepBefore`. Usual receipts come at once, and write nothing.
 */
export const LATE_CTE = `late as (
    insert into late_attempts (attempt_id, status, account_id, was_status, was_error_code, was_credits, was_left, was_finished_at)
    select id, status, account_id, was_status, was_error_code, was_credits, was_left, was_finished_at
    from raised where id < (select ${uuid7FloorOf(`now() - interval '${LATE_MINUTES} minutes'`)})
    on conflict do nothing
  )`;

/** The columns that keep the values of a row before it is changed. */
export const keepBefore = (
  row: string,
): string => `${row}.status as was_status, ${row}.error_code as was_error_code, ${row}.credits as was_credits,
      ${HAS_LEFT(row)} as was_left,
      ${row}.finished_at as was_finished_at`;

/** The provider's id of an attempt `a` that learns of one, as SQL. Ids of WhatsApp hold the number: one that was erased stays out. */
export const keptId = (told: string): string =>
  `case when a.recipient = '' then a.provider_message_id else ${told} end`;
