/**
 * The key ring: the keys that are derived from the secret key, and from its former values, so that what was made under a former
 * one stays good while the secret key is changed.
 */
import { deriveKey } from './secrets.ts';

/** The keys of a gateway. What is made is made under the current one, and keeps the id of its key. */
export interface KeyRing {
  /** The id of the current secret key, 8 hex digits. It tells nothing of the key. */
  readonly currentId: string;
  /** The ids of all secret keys, the current one first, each once. */
  readonly ids: readonly string[];
  /**
   * The key for a purpose, 32 bytes, under the secret key of this id; null where no secret key has it (any more). A purpose is a
   * constant of the program, since every key is kept. The bytes are shared: read them, never change them.
   */
  derive(keyId: string, purpose: string): Buffer | null;
}

const ID_HEX_LENGTH = 8;

/**
 * Makes the key ring of a secret key and its former values. A former value that is the current one, or is listed twice, counts once.
 * The secret keys are reachable through `derive` alone: nothing that prints a ring shows them.
 */
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
