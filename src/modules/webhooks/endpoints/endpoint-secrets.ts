/** The secrets of endpoints: sealed in their rows, opened only to sign. */
import type { Ctx } from '../../../context.ts';
import { defineReseal } from '../../../db/statements/reseal.sql.ts';
import type { KeyRing } from '../../../kernel/crypto/key-ring.ts';
import { seal, unseal } from '../../../kernel/crypto/sealed.ts';
import type { WebhookSecrets } from '../signatures/webhook-signature.ts';

const PURPOSE = 'webhook-secret';

interface SealedSecrets {
  /** The endpoint, `whk_…`: its secrets open in no other row. */
  readonly id: string;
  readonly secret: string;
  readonly secretKeyId: string;
  /** The secret before the last rotation, while it still signs. */
  readonly previousSecret?: string | null | undefined;
  readonly previousSecretKeyId?: string | null | undefined;
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

/**
 * Opens the secrets of an endpoint, without a previous one whose key is lost. Null: the key of the current one is lost, so nothing is signed until it
 * is rotated. Never throws.
 */
export function openSecrets(keys: KeyRing, row: SealedSecrets): WebhookSecrets | null {
  const current = unseal(keys, PURPOSE, { keyId: row.secretKeyId, sealed: row.secret }, row.id);
  if (current === null) return null;
  const { previousSecret: sealed, previousSecretKeyId: keyId } = row;
  return { current, previous: sealed && keyId ? unseal(keys, PURPOSE, { keyId, sealed }, row.id) : null };
}

const SECRETS = { table: 'webhook_endpoints', prefix: 'whk', purpose: PURPOSE } as const;
const resealCurrent = defineReseal({ ...SECRETS, column: 'secret', keyColumn: 'secret_key_id' });
const resealPrevious = defineReseal({ ...SECRETS, column: 'previous_secret', keyColumn: 'previous_secret_key_id' });

/** Seals secrets of former keys under the current one, so that the former can be given up; lost ones stay. @throws AppError `database_unavailable`. */
export async function resealSecrets({ services: { database, keys } }: Ctx): Promise<void> {
  await resealCurrent(database.sql(), keys);
  // Last: a rotation meanwhile makes a secret of a former key the previous one.
  await resealPrevious(database.sql(), keys);
}
