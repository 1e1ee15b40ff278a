/** The part of statements that notes late changes of attempts. */
import { uuid7FloorOf } from '../../../db/statements/uuid7.sql.ts';

/** Hours after which a change is late. An hour is counted for good an hour later than that: whoever changes it meanwhile has committed. */
export const LATE_HOURS = 2;

/** A CTE that notes those of `raised` (with `id`, `status` and `account_id`) that are late. Usual receipts come at once, and write nothing. */
export const lateCte = (raised: string): string => `late as (
    insert into late_attempts (attempt_id, status, account_id)
    select id, status, account_id from ${raised} where id < (select ${uuid7FloorOf(`now() - interval '${LATE_HOURS} hours'`)})
    on conflict do nothing
  )`;
