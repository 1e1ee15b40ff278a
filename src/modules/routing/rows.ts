/** Attempts as rows of the batch statements. */
import { rowsWith, rowsWithout } from '../../db/statements/records.ts';
import { toUuid } from '../../kernel/ids.ts';
import { Attempt, type ChannelAttempt } from './attempt.entity.ts';

/** What is stored of an attempt before it is made. */
export const NEW_ATTEMPTS = rowsWithout(Attempt, 'errorCode', 'errorMessage', 'providerMessageId', 'finishedAt');

/** What becomes of an attempt. */
export const OUTCOMES = rowsWith(
  Attempt,
  'id',
  'status',
  'errorCode',
  'errorMessage',
  'credits',
  'providerMessageId',
  'finishedAt',
);

/** What an SMS attempt asks of the balance, as a row of the batch statements. */
export interface HoldRow {
  readonly attempt_id: string;
  readonly account_id: string;
  /** Credits. */
  readonly need: number;
}

/**
 * The holds that these attempts ask for: those of SMS, a credit for each segment. What no provider is asked for costs nothing, so it
 * holds nothing either. `more` is added to each row.
 */
export function holdRows<More extends object>(attempts: readonly ChannelAttempt[], more: More): (HoldRow & More)[] {
  return attempts
    .filter(attempt => attempt.channel === 'sms' && attempt.provider !== null)
    .map(({ id, accountId, segments }) => ({
      attempt_id: toUuid(id),
      account_id: toUuid(accountId),
      need: segments,
      ...more,
    }));
}
