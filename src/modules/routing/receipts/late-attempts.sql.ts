/** The part of statements that notes late changes of attempts. */
import { uuid7FloorOf } from '../../../db/statements/uuid7.sql.ts';
import { HAS_LEFT } from '../has-left.sql.ts';

/** Minutes after which a change is late. The log is counted some minutes later than that: whoever changes it meanwhile has committed. */
export const LATE_MINUTES = 3;

/** The values of a late attempt before the change, as SQL on a row of `raised`. */
interface Before {
  readonly status: string;
  readonly errorCode: string;
  readonly credits: string;
  /** Whether the provider took it, or may have. */
  readonly hasLeft: string;
  readonly finishedAt: string;
}

/**
 * A CTE that notes those of `raised` (with `id`, `status` and `account_id`) that are late, and what they were before: they are counted as that. Usual
 * receipts come at once, and write nothing.
 */
export const lateCte = (raised: string, before: Before): string => `late as (
    insert into late_attempts (attempt_id, status, account_id, was_status, was_error_code, was_credits, was_left, was_finished_at)
    select id, status, account_id, ${before.status}, ${before.errorCode}, ${before.credits}, ${before.hasLeft}, ${before.finishedAt}
    from ${raised} where id < (select ${uuid7FloorOf(`now() - interval '${LATE_MINUTES} minutes'`)})
    on conflict do nothing
  )`;

/** The former values where the statement has kept them in columns of `raised` (`keepBefore`). */
export const KEPT_BEFORE: Before = {
  status: 'was_status',
  errorCode: 'was_error_code',
  credits: 'was_credits',
  hasLeft: 'was_left',
  finishedAt: 'was_finished_at',
};

/** The columns that keep the values of a row before it is changed. */
export const keepBefore = (
  row: string,
): string => `${row}.status as was_status, ${row}.error_code as was_error_code, ${row}.credits as was_credits,
      ${HAS_LEFT(row)} as was_left,
      ${row}.finished_at as was_finished_at`;
