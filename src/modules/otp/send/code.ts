/** The codes of OTPs: derived and never stored, so every resend carries the same code, and the rows tell none without the secret key. */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { KeyRing } from '../../../kernel/crypto/key-ring.ts';
import type { Otp } from '../otp.entity.ts';

/** The parts of a pin that its code is derived from. */
export type PinSeed = Pick<Otp, 'id' | 'nonce' | 'keyId' | 'length'>;

const CODE_PURPOSE = 'otp-code';
const MAC_PURPOSE = 'otp-mac';

const RANDOM_BYTES = 16;
/** 16 bytes, so that codes are uniform: see `codeOf`. */
const TRUNCATED_HEX_LENGTH = 32;

/** The ring's keys as OpenSSL holds them: made once, since an HMAC with the bare bytes takes eight times as long. */
const keyObjects = new WeakMap<Buffer, KeyObject>();

/** Hexadecimal digits of a nonce before the shift of a given code, which stands behind an `s` and has 10 digits at most. */
const SHIFTED_LENGTH = 20;

/**
 * Makes a pin under the current key, whose code has `length` digits (4 to 10). Its id is random to the last bit, since everybody who knows it may guess.
 * @param given a code of so many digits that another server made
 */
export function newPin(ring: KeyRing, length: number, given?: string): PinSeed & Pick<Otp, 'codeMac'> {
  const made = { id: `pin_${randomHex()}`, nonce: randomHex(), keyId: ring.currentId, length };
  const seed = given === undefined ? made : { ...made, nonce: shiftedNonce(ring, made, given) };
  const { id } = seed;
  const code = codeOf(ring, seed);
  const mac = code === null ? null : codeMac(ring, seed.keyId, id, code);
  if (mac === null) throw new TypeError('the key ring does not hold its current key');
  return { ...seed, codeMac: mac };
}

/** A nonce that makes the code a given one. The shift is as random as the derived code, so the row tells nothing of either. */
function shiftedNonce(ring: KeyRing, seed: PinSeed, given: string): string {
  const nonce = seed.nonce.slice(0, SHIFTED_LENGTH);
  const derived = BigInt(codeOf(ring, { ...seed, nonce }) ?? 0);
  const codes = 10n ** BigInt(seed.length);
  return `${nonce}s${(BigInt(given) - derived + codes) % codes}`;
}

function randomHex(): string {
  return randomBytes(RANDOM_BYTES).toString('hex');
}

/** The code of a pin: the first 128 bits of HMAC-SHA256(id, nonce) modulo 10^length, a bias below 2^-94. Null where its key is lost. */
export function codeOf(ring: KeyRing, { id, nonce, keyId, length }: PinSeed): string | null {
  const key = ring.derive(keyId, CODE_PURPOSE);
  if (key === null) return null;
  const [own = '', shift = '0'] = nonce.split('s');
  const bits = BigInt(`0x${hmac(key, id + own).slice(0, TRUNCATED_HEX_LENGTH)}`);
  return ((bits + BigInt(shift)) % 10n ** BigInt(length)).toString().padStart(length, '0');
}

/** The MAC of a code or guess for one pin, 64 hex digits; null where the key is lost. For another pin the same code has another MAC. */
export function codeMac(ring: KeyRing, keyId: string, pinId: string, code: string): string | null {
  const key = ring.derive(keyId, MAC_PURPOSE);
  return key === null ? null : hmac(key, pinId + code);
}

/** The MACs of a guess by key id. All are made whatever the pin's own key is, also for unknown pins, so the time tells nothing. */
export function codeMacs(ring: KeyRing, pinId: string, guess: string): Record<string, string> {
  const macs: Record<string, string> = {};
  for (const keyId of ring.ids) {
    const mac = codeMac(ring, keyId, pinId, guess);
    if (mac !== null) macs[keyId] = mac;
  }
  return macs;
}

function hmac(key: Buffer, text: string): string {
  let keyObject = keyObjects.get(key);
  if (!keyObject) {
    keyObject = createSecretKey(key);
    keyObjects.set(key, keyObject);
  }
  return createHmac('sha256', keyObject).update(text).digest('hex');
}
