/**
 * The codes of OTPs. A code is derived and never stored: its row holds a nonce, the id of the key, and a MAC of the code, so every
 * channel and every resend carry the same code, and who reads the rows without the secret key learns no code.
 */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { KeyRing } from '../../../kernel/crypto/key-ring.ts';

/** What a new OTP begins with, ready to be stored: nothing of it tells the code without the secret key. */
export interface NewPin {
  /** `pin_` and 128 random bits in hex. Random to the last bit, unlike other ids: whoever knows it may guess. */
  readonly pinId: string;
  /** 128 random bits in hex. */
  readonly nonce: string;
  /** The id of the secret key that the code and its MAC are made with. */
  readonly keyId: string;
  /** HMAC-SHA256 of pin and code in hex. */
  readonly codeMac: string;
}

/** What a code is derived from. */
export interface PinSeed {
  /** `pin_…`, as it is shown. */
  readonly id: string;
  readonly nonce: string;
  readonly keyId: string;
  /** How many digits the code has, 4 to 10. */
  readonly length: number;
}

const CODE_PURPOSE = 'otp-code';
const MAC_PURPOSE = 'otp-mac';

const RANDOM_BYTES = 16;
/** 16 bytes, so that codes are uniform: see `codeOf`. */
const TRUNCATED_HEX_LENGTH = 32;

/** The ring's keys as OpenSSL holds them: made once, since an HMAC with the bare bytes takes eight times as long. */
const keyObjects = new WeakMap<Buffer, KeyObject>();

/** Makes a pin under the current key, whose code has `length` digits (4 to 10). */
export function newPin(ring: KeyRing, length: number): NewPin {
  const id = `pin_${randomBytes(RANDOM_BYTES).toString('hex')}`;
  const nonce = randomBytes(RANDOM_BYTES).toString('hex');
  const keyId = ring.currentId;
  const code = codeOf(ring, { id, nonce, keyId, length });
  const mac = code === null ? null : codeMac(ring, keyId, id, code);
  if (mac === null) throw new TypeError('the key ring does not hold its current key');
  return { pinId: id, nonce, keyId, codeMac: mac };
}

/**
 * The code of a pin, `length` digits with the zeros in front; null where its key is not known any more. It is HMAC-SHA256 of pin id
 * and nonce (both of one length, so no two pairs run into each other), whose first 128 bits are taken modulo 10^length. All codes
 * are equally likely but for a bias below 2^-94 of a code's likelihood (10^10 / 2^128 at the longest).
 */
export function codeOf(ring: KeyRing, { id, nonce, keyId, length }: PinSeed): string | null {
  const key = ring.derive(keyId, CODE_PURPOSE);
  if (key === null) return null;
  const bits = BigInt(`0x${hmac(key, id + nonce).slice(0, TRUNCATED_HEX_LENGTH)}`);
  return (bits % 10n ** BigInt(length)).toString().padStart(length, '0');
}

/**
 * The MAC of a code (or of a guess) for one pin, 64 hex digits; null where the key is not known any more. The pin is part of it: a
 * MAC says nothing about the same code of another pin.
 */
export function codeMac(ring: KeyRing, keyId: string, pinId: string, code: string): string | null {
  const key = ring.derive(keyId, MAC_PURPOSE);
  return key === null ? null : hmac(key, pinId + code);
}

/**
 * The MACs of a guess, one for each key of the ring, by key id. All are made whatever the pin's own key is, and for pins that do not
 * exist too, so the work tells nothing.
 */
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
