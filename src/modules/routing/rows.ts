/** Attempts as rows of the batch statements. */
import { rowsWith, rowsWithout } from '../../db/statements/records.ts';
import { isPaid } from '../../kernel/channel.ts';
import { toUuid } from '../../kernel/ids.ts';
import { Attempt, type ChannelAttempt } from './attempt.entity.ts';
import type { Send } from './send.ts';

/** An attempt whose outcome is known: it is written once. Receipts fill the other columns later. */
export const ATTEMPTS = rowsWithout(Attempt, 'reportedAt', 'deliveredAt', 'endedAs', 'pricing');

/** The outcome of an attempt. */
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

/** The hold that an attempt asks of the balance, as a row of the batch statements. */
interface HoldRow {
  readonly send_id: string;
  readonly account_id: string;
  /** Credits. */
  readonly need: number;
}

/**
 * The holds that these attempts of a send ask for: that of the channel that costs credits, one for each segment. An attempt without a provider costs
 * nothing, so it holds nothing either.
 */
export function holdRows({ id, accountId }: Send, attempts: readonly ChannelAttempt[]): HoldRow[] {
  return attempts
    .filter(({ channel, provider }) => isPaid(channel) && provider !== null)
    .map(({ segments }) => ({ send_id: toUuid(id), account_id: toUuid(accountId), need: segments }));
}
