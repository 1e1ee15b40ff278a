/**
 * Secrets: tokens, passwords, and the keys that are derived from the one secret key. Nothing here logs or keeps what it is
 * given.
 */
import { argon2, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** Every area, in the order in which they are listed. */
export const AREAS = ['unified', 'sms', 'otp', 'management'] as const;

/** What a token opens (contract §1). */
export type Area = (typeof AREAS)[number];

/** The first characters of a token tell its area (contract §2), to people and to secret scanners. */
const TOKEN_START = {
  unified: 'hg_uni_',
  sms: 'hg_sms_',
  otp: 'hg_otp_',
  management: 'hg_mgt_',
} as const satisfies Record<Area, string>;

/** The fewest bytes of a `SECRET_KEY`, and how many a made one has. */
export const SECRET_KEY_BYTES = 32;

/** The fewest characters of an operator's token. */
export const OPERATOR_TOKEN_LENGTH_MIN = 32;

const TOKEN_BYTES = 32;
const DERIVED_KEY_BYTES = 32;
const TOKEN_PREFIX_LENGTH = 11;

/** No `i`, `l`, `o` and `u`: nothing to mistake for a digit, fewer accidental words. 32 letters, so five bits each. */
const PASSWORD_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const PASSWORD_LENGTH = 20;
const PASSWORD_GROUP = 5;

/** Argon2id as OWASP's password storage sheet asks for at least: 19 MiB, two passes, one lane. */
const ARGON2 = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32, nonceLength: 16 } as const;
const PHC_PATTERN =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,})\$([A-Za-z0-9+/]{16,})$/;

/** Makes a token of this area with 256 random bits. It is shown once; store `hashToken` of it. */
export function newToken(area: Area): string {
  return `${TOKEN_START[area]}${randomBytes(TOKEN_BYTES).toString('base64url')}`;
}

/** What is stored and looked up in place of a token: its SHA-256, 32 bytes. A token's own 256 bits make a slow hash needless. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** The part of a token that a list may show: its area and four characters, to tell it from others. */
export function tokenPrefix(token: string): string {
  return token.slice(0, TOKEN_PREFIX_LENGTH);
}

/** Makes a `SECRET_KEY`: 32 random bytes in base64. */
export function newSecretKey(): string {
  return randomBytes(SECRET_KEY_BYTES).toString('base64');
}

/**
 * The bytes of a `SECRET_KEY` in base64 or base64url, with or without padding. A string says what is wrong with the text (such as
 * `is not base64`) and repeats nothing of it.
 */
export function decodeSecretKey(text: string): Buffer | string {
  const digits = text.replace(/={1,2}$/, '');
  // Node's decoder skips what is not base64, so the alphabet is checked first.
  if (!/^[A-Za-z0-9+/_-]+$/.test(digits) || digits.length % 4 === 1) return 'is not base64';
  const key = Buffer.from(digits, 'base64');
  return key.length < SECRET_KEY_BYTES ? `holds ${key.length} bytes, fewer than ${SECRET_KEY_BYTES}` : key;
}

/** What is wrong with an operator's token, which opens everything; null where nothing is. Repeats nothing of it. */
export function operatorTokenFault(token: string): string | null {
  return /^[\x21-\x7e]*$/.test(token) && token.length >= OPERATOR_TOKEN_LENGTH_MIN
    ? null
    : `must be at least ${OPERATOR_TOKEN_LENGTH_MIN} visible ASCII characters; make one with: openssl rand -hex 32`;
}

/**
 * The key for one purpose, 32 bytes: HKDF-SHA256 (RFC 5869) of a secret key, without salt, since the secret key is random, and with
 * `heliograph/<purpose>` as info. Keys of two purposes tell nothing of each other, nor of the secret key.
 */
export function deriveKey(secretKey: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', `heliograph/${purpose}`, DERIVED_KEY_BYTES));
}

/** Makes a password of 100 random bits that can be read out and typed, such as `7h2kd-0qw9x-m4zvb-c8t1n`. */
export function newPassword(): string {
  let password = '';
  for (const [index, byte] of randomBytes(PASSWORD_LENGTH).entries()) {
    if (index > 0 && index % PASSWORD_GROUP === 0) password += '-';
    password += PASSWORD_ALPHABET.charAt(byte % PASSWORD_ALPHABET.length);
  }
  return password;
}

/** Hashes a password for storage, as a PHC string (`$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`). About 30 ms off the main thread. */
export async function hashPassword(password: string): Promise<string> {
  const { memory, passes, parallelism, tagLength } = ARGON2;
  const nonce = randomBytes(ARGON2.nonceLength);
  const tag = await argon2id({ message: passwordBytes(password), nonce, memory, passes, parallelism, tagLength });
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${toPhcBase64(nonce)}$${toPhcBase64(tag)}`;
}

/**
 * Whether this password made this hash. Reads the cost from the hash, so a later change of cost keeps old hashes good.
 * A text that is no argon2id PHC string is false, like a wrong password.
 */
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

/** Whether two secrets are equal, in a time that tells neither where they differ nor (beyond hashing them) how long they are. */
export function secretsEqual(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b));
}

// UTF-16 keeps every string apart; UTF-8 would make all lone surrogates the same replacement character.
function digestOf(secret: string): Buffer {
  return hash('sha256', Buffer.from(secret, 'utf16le'), 'buffer');
}

// One keyboard composes an accent that another sends in two characters: both are the same password (NIST SP 800-63B).
function passwordBytes(password: string): Buffer {
  return Buffer.from(password.normalize('NFKC'), 'utf8');
}

function toPhcBase64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

function argon2id(parameters: Parameters<typeof argon2>[1]): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, tag) => (error === null ? resolve(tag) : reject(error)));
  });
}
