/** Derives keys from the secret key and its former values, so that older data stays valid during a rotation. */
import { deriveKey } from './secrets.ts';

/** The keys of a gateway. New values are made under the current key and stored with its id. */
export interface KeyRing {
  /** The id of the current secret key: 8 hex digits, which reveal nothing of the key. */
  readonly currentId: string;
  /** The ids of all secret keys, the current one first, each once. */
  readonly ids: readonly string[];
  /** The key for a purpose (a constant: keys are cached) under the secret key of this id, or null. Its 32 bytes are shared: read only. */
  derive(keyId: string, purpose: string): Buffer | null;
}

const ID_HEX_LENGTH = 8;

/** Makes the key ring; equal keys count once. Only `derive` reaches the secret keys, so printing a ring cannot show them. */
export function createKeyRing(current: Uint8Array, previous: readonly Uint8Array[]): KeyRing {
  const currentId = idOf(current);
  const secrets = new Map([[currentId, current]]);
  for (const secret of previous) {
    const id = idOf(secret);
    if (!secrets.has(id)) secrets.set(id, secret);
  }
  const derived = new Map<string, Buffer>();
  return {
    currentId,
    ids: [...secrets.keys()],
    derive(keyId, purpose) {
      const name = `${keyId}/${purpose}`;
      const known = derived.get(name);
      if (known) return known;
      const secret = secrets.get(keyId);
      if (!secret) return null;
      const key = deriveKey(secret, purpose);
      derived.set(name, key);
      return key;
    },
  };
}

function idOf(secret: Uint8Array): string {
  return deriveKey(secret, 'key-id').toString('hex').slice(0, ID_HEX_LENGTH);
}
