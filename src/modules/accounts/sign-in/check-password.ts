/** Passwords of people, checked and hashed a few at a time: each costs 19 MiB and 30 ms of a core. */
import pLimit from 'p-limit';
import { hashPassword, verifyPassword } from '../../../kernel/crypto/secrets.ts';
import { AppError, invalidInput } from '../../../kernel/errors.ts';

/** How many are computed at once, and how many more may wait. */
const AT_ONCE = 2;
const WAITING_MAX = 100;

const computed = pLimit(AT_ONCE);

/** What an unknown address is checked against, so that it takes as long as a known one. No password makes it. */
const NOBODYS_HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Whether a password made a hash; null: there is none. @throws AppError `overloaded` where too many wait */
export function checkPassword(password: string, hash: string | null): Promise<boolean> {
  return inTurn(() => verifyPassword(password, hash ?? NOBODYS_HASH));
}

/** Hashes a new password of a person with this address. @throws AppError `invalid_input` on `field` for the address itself; `overloaded` */
export async function hashNewPassword(password: string, email: string, field: string): Promise<string> {
  if (password.normalize('NFKC').trim().toLowerCase() === email)
    throw invalidInput(field, 'must not be the e-mail address');
  return inTurn(() => hashPassword(password));
}

async function inTurn<Result>(compute: () => Promise<Result>): Promise<Result> {
  if (computed.pendingCount >= WAITING_MAX)
    throw new AppError('overloaded', 'Too many people sign in at once. Try again in a moment.', { retryAfter: 2 });
  return computed(compute);
}
