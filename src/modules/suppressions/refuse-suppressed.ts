/** The refusal of a send to a recipient who wants no more (contract §15). */
import type { SendOutcome } from '../../channels/outcome.ts';
import type { Ctx } from '../../context.ts';
import { sentenceOf } from '../../kernel/attempt-errors.ts';
import { AppError } from '../../kernel/errors.ts';

const CODE = 'recipient_suppressed';

/** A send as the list sees it. */
interface Heeding {
  readonly accountId: string;
  readonly recipient: string;
  /** Whether its recipient gets it though it asked for no more. */
  readonly goesToSuppressed?: boolean | undefined;
}

/** Whether the recipient of a send wants nothing more, as this process knows it. */
export function isSuppressed(
  { services: { suppressed } }: Ctx,
  { accountId, recipient, goesToSuppressed }: Heeding,
): boolean {
  return !goesToSuppressed && suppressed.has(accountId, recipient);
}

/** The refusal, before anything is stored. */
export function recipientSuppressed(): AppError {
  return new AppError(
    CODE,
    'The recipient asked for no more messages, or the account put it on its list (`suppressions`). Nothing was sent.',
  );
}

/** The outcome of an attempt whose recipient has stopped since the send was accepted. */
export const SUPPRESSED: Extract<SendOutcome, { readonly kind: 'rejected' }> = {
  kind: 'rejected',
  code: CODE,
  message: sentenceOf(CODE),
};
