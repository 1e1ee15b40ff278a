/** Passwords of people, checked and hashed. Each costs 19 MiB and 30 ms of a core: take a turn in a lane before. */
import { hashPassword, verifyPassword } from '../../../kernel/crypto/secrets.ts';
import { requireHardToGuess } from './password-strength.ts';

/** The hash for an unknown address, whose check takes as long as that of a known one. No password makes this hash. */
const NOBODYS_HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Whether a password made a hash; null: there is none. */
export function checkPassword(password: string, hash: string | null): Promise<boolean> {
  return verifyPassword(password, hash ?? NOBODYS_HASH);
}

/** Hashes a new password of a person with this address. @throws AppError `invalid_input` on `field` for one that is easy to guess */
export async function hashNewPassword(password: string, email: string, field: string): Promise<string> {
  await requireHardToGuess(password, email, field);
  return hashPassword(password);
}
