/** The errors of an SMS that the credits of an account do not pay for (contract §8). Pure. */
import type { SendOutcome } from '../../channels/outcome.ts';
import { AppError } from '../../kernel/errors.ts';

/** Why a hold is not made: the balance is too low, or the daily spend cap of the account is reached. */
export type Shortage = 'balance' | 'daily_cap';

const MESSAGES: Readonly<Record<Shortage, string>> = {
  balance: 'The balance of the account has too few credits for this SMS. Top it up and send again.',
  daily_cap: 'The daily spend cap of the account is reached. It begins anew at 00:00 UTC.',
};

const DAY_SECONDS = 86_400;

/** The error of a send that has no channel but SMS. */
export function insufficientBalance(shortage: Shortage, now: Date): AppError {
  const retryAfter = DAY_SECONDS - (Math.floor(now.getTime() / 1_000) % DAY_SECONDS);
  return new AppError('insufficient_balance', MESSAGES[shortage], shortage === 'daily_cap' ? { retryAfter } : {});
}

/** The outcome of the SMS attempt where the send has other channels too: no provider is asked. */
export function unpaid(shortage: Shortage): SendOutcome {
  return { kind: 'rejected', code: 'insufficient_balance', message: MESSAGES[shortage] };
}
