/** Attempts as rows of the batch statements, whose keys are the columns. */
import { toUuid } from '../../kernel/ids.ts';
import type { Attempt, ChannelAttempt } from './attempt.entity.ts';

/** An attempt as a row of `attempts`. */
export function attemptRow(attempt: Attempt): object {
  return {
    id: toUuid(attempt.id),
    account_id: toUuid(attempt.accountId),
    area: attempt.area,
    type: attempt.type,
    message_id: attempt.messageId ? toUuid(attempt.messageId) : null,
    pin_id: attempt.pinId ? toUuid(attempt.pinId) : null,
    resend: attempt.resend,
    channel: attempt.channel,
    provider: attempt.provider,
    recipient: attempt.recipient,
    country: attempt.country,
    sender: attempt.sender,
    reference: attempt.reference,
    status: attempt.status,
    segments: attempt.segments,
    credits: attempt.credits,
    started_at: attempt.startedAt,
  };
}

/** The columns that `attemptRow` fills: those of an attempt that is stored before it is made. */
export const ATTEMPT_COLUMNS =
  'id, account_id, area, type, message_id, pin_id, resend, channel, provider, recipient, country, sender, reference, status, segments, credits, started_at';

/** The outcome of an attempt as a row of `attempts`. */
export function outcomeRow(attempt: ChannelAttempt) {
  return {
    id: toUuid(attempt.id),
    status: attempt.status,
    error_code: attempt.errorCode,
    error_message: attempt.errorMessage,
    credits: attempt.credits,
    provider_message_id: attempt.providerMessageId,
    finished_at: attempt.finishedAt,
  };
}

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
