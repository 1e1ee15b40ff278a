/** Encrypts stored texts that only the gateway reads: AES-256-GCM under a key derived from the secret key. */
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import type { KeyRing } from './key-ring.ts';

const CIPHER = 'aes-256-gcm';
/** The length that GCM uses directly; it hashes any other to this one first (NIST SP 800-38D, 5.2.1.1). */
const NONCE_BYTES = 12;
/** The full tag: each bit less makes a forgery twice as likely. */
const TAG_BYTES = 16;

/** An encrypted text. */
export interface Sealed {
  /** The id of the secret key that it was encrypted under, 8 hex digits. */
  readonly keyId: string;
  /** Nonce, cipher text and tag, in base64. */
  readonly sealed: string;
}

/** Encrypts a text under the current key for a purpose; `context`, such as the id of its row, is needed to decrypt it. */
export function seal(keys: KeyRing, purpose: string, text: string, context: string): Sealed {
  const keyId = keys.currentId;
  const key = keys.derive(keyId, purpose);
  if (!key) throw new Error('the key ring does not know its own current key');
  const nonce = randomBytes(NONCE_BYTES);
  // With raw key bytes instead of a key object, Node takes three times as long.
  const cipher = createCipheriv(CIPHER, createSecretKey(key), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context, 'utf8'));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return { keyId, sealed: Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64') };
}

/** Decrypts a sealed text. Null if the key, purpose or context is wrong, or the text was changed. Never throws. */
export function unseal(keys: KeyRing, purpose: string, { keyId, sealed }: Sealed, context: string): string | null {
  const key = keys.derive(keyId, purpose);
  const bytes = Buffer.from(sealed, 'base64');
  if (!key || bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, createSecretKey(key), bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(context, 'utf8'));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const body = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([body, decipher.final()]).toString('utf8');
  } catch {
    // The tag does not match.
    return null;
  }
}
