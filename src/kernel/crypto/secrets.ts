/** Tokens, passwords, and keys derived from the secret key. Nothing here logs or stores what it is given. */
import { hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { argon2id } from './argon2.ts';

/** Every area, in display order. */
export const AREAS = ['unified', 'sms', 'otp', 'management'] as const;

/** The areas of the API, of which a token opens one (contract §1). */
export type Area = (typeof AREAS)[number];

/** The prefix shows the area of a token (contract §2) to people and to secret scanners. */
const TOKEN_START = {
  unified: 'hg_uni_',
  sms: 'hg_sms_',
  otp: 'hg_otp_',
  management: 'hg_mgt_',
} as const satisfies Record<Area, string>;

/** The minimum length of `SECRET_KEY`, in bytes, and the length of a generated one. */
export const SECRET_KEY_BYTES = 32;

/** The minimum length of an operator's token, in characters. */
export const OPERATOR_TOKEN_LENGTH_MIN = 32;

const TOKEN_BYTES = 32;
const DERIVED_KEY_BYTES = 32;
const TOKEN_PREFIX_LENGTH = 11;

/** Without `i`, `l`, `o` and `u`, which look like digits or form words. 32 letters carry five bits each. */
const PASSWORD_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const PASSWORD_LENGTH = 20;
const PASSWORD_GROUP = 5;

/** Argon2id with the minimum of OWASP's password storage sheet: 19 MiB, two passes, one lane. */
const ARGON2 = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32, nonceLength: 16 } as const;
const PHC_PATTERN =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,})\$([A-Za-z0-9+/]{16,})$/;

/** Makes a token of this area with 256 random bits. Show it once; store only its `hashToken`. */
export function newToken(area: Area): string {
  return `${TOKEN_START[area]}${randomBytes(TOKEN_BYTES).toString('base64url')}`;
}

/** The SHA-256 of a token, 32 bytes, which is stored. A token has 256 random bits, so a slow hash is needless. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** The part of a token that a list may show: its area and four more characters. */
export function tokenPrefix(token: string): string {
  return token.slice(0, TOKEN_PREFIX_LENGTH);
}

/** Makes a `SECRET_KEY`: 32 random bytes in base64. */
export function newSecretKey(): string {
  return randomBytes(SECRET_KEY_BYTES).toString('base64');
}

/** Decodes a `SECRET_KEY` in base64 or base64url, padded or not. A string is its fault, which never quotes the text. */
export function decodeSecretKey(text: string): Buffer | string {
  const digits = text.replace(/={1,2}$/, '');
  // Node's decoder skips other characters without an error, so the alphabet is checked first.
  if (!/^[A-Za-z0-9+/_-]+$/.test(digits) || digits.length % 4 === 1) return 'is not base64';
  const key = Buffer.from(digits, 'base64');
  return key.length < SECRET_KEY_BYTES ? `holds ${key.length} bytes, fewer than ${SECRET_KEY_BYTES}` : key;
}

/** The fault of an operator's token, without quoting it; null if it is valid. */
export function operatorTokenFault(token: string): string | null {
  return /^[\x21-\x7e]*$/.test(token) && token.length >= OPERATOR_TOKEN_LENGTH_MIN
    ? null
    : `must be at least ${OPERATOR_TOKEN_LENGTH_MIN} visible ASCII characters; make one with: openssl rand -hex 32`;
}

/** The key for one purpose, 32 bytes: HKDF-SHA256 (RFC 5869) of a random secret key, so without salt. One key reveals nothing of another. */
export function deriveKey(secretKey: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', `heliograph/${purpose}`, DERIVED_KEY_BYTES));
}

/** Makes a password of 100 random bits that people can read out and type, such as `7h2kd-0qw9x-m4zvb-c8t1n`. */
export function newPassword(): string {
  let password = '';
  for (const [index, byte] of randomBytes(PASSWORD_LENGTH).entries()) {
    if (index > 0 && index % PASSWORD_GROUP === 0) password += '-';
    password += PASSWORD_ALPHABET.charAt(byte % PASSWORD_ALPHABET.length);
  }
  return password;
}

/** Hashes a password as a PHC string (`$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`), in about 30 ms off thread. */
export async function hashPassword(password: string): Promise<string> {
  const { memory, passes, parallelism, tagLength } = ARGON2;
  const nonce = randomBytes(ARGON2.nonceLength);
  const tag = await argon2id({ message: passwordBytes(password), nonce, memory, passes, parallelism, tagLength });
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${toPhcBase64(nonce)}$${toPhcBase64(tag)}`;
}

/** Whether this password made this hash, with the cost that the hash tells. False for a text that is no argon2id PHC string. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = PHC_PATTERN.exec(hash) ?? [];
  if (salt === undefined || tag === undefined) return false;
  const expected = Buffer.from(tag, 'base64');
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  if (cost.passes < 1 || cost.parallelism < 1 || cost.memory < 8 * cost.parallelism) return false;
  const nonce = Buffer.from(salt, 'base64');
  const actual = await argon2id({ message: passwordBytes(password), nonce, ...cost, tagLength: expected.length });
  return timingSafeEqual(actual, expected);
}

/** Whether two secrets are equal, in constant time (except for hashing them). */
export function secretsEqual(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b));
}

// UTF-16, because UTF-8 turns every lone surrogate into the same replacement character.
function digestOf(secret: string): Buffer {
  return hash('sha256', Buffer.from(secret, 'utf16le'), 'buffer');
}

// Keyboards compose accents differently: normalised, both forms are the same password (NIST SP 800-63B).
function passwordBytes(password: string): Buffer {
  return Buffer.from(password.normalize('NFKC'), 'utf8');
}

function toPhcBase64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
