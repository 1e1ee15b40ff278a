/** The secrets of endpoints: sealed in their rows, opened only to sign. */
import type { KeyRing } from '../../kernel/key-ring.ts';
import { seal, unseal } from '../../kernel/sealed.ts';

const PURPOSE = 'webhook-secret';

/** What a row keeps of its secrets. */
export interface SealedSecrets {
  /** The endpoint, `whk_…`: its secrets open in no other row. */
  readonly id: string;
  readonly secret: string;
  readonly secretKeyId: string;
  /** The secret before the last rotation, while it still signs. */
  readonly previousSecret?: string | null | undefined;
  readonly previousSecretKeyId?: string | null | undefined;
}

/** What deliveries to an endpoint are signed with, `whsec_…` each. */
export interface OpenSecrets {
  readonly current: string;
  /** Null: there is none, or its key is not known any more. */
  readonly previous: string | null;
}

/** Seals the secret of an endpoint, as the columns of its row. */
export function sealSecret(
  keys: KeyRing,
  endpointId: string,
  text: string,
): Pick<SealedSecrets, 'secret' | 'secretKeyId'> {
  const { keyId, sealed } = seal(keys, PURPOSE, text, endpointId);
  return { secret: sealed, secretKeyId: keyId };
}

/** Opens the secrets of an endpoint; null where the current one is lost, so that it cannot sign until it is rotated. Never throws. */
export function openSecrets(keys: KeyRing, row: SealedSecrets): OpenSecrets | null {
  const current = unseal(keys, PURPOSE, { keyId: row.secretKeyId, sealed: row.secret }, row.id);
  if (current === null) return null;
  const { previousSecret: sealed, previousSecretKeyId: keyId } = row;
  return { current, previous: sealed && keyId ? unseal(keys, PURPOSE, { keyId, sealed }, row.id) : null };
}
