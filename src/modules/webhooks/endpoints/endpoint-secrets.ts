/** The secrets of endpoints: sealed in their rows, opened only to sign. */
import type { Ctx } from '../../../context.ts';
import type { KeyRing } from '../../../kernel/crypto/key-ring.ts';
import { seal, unseal } from '../../../kernel/crypto/sealed.ts';
import type { WebhookSecrets } from '../signatures/webhook-signature.ts';
import { FIND_SEALED, RESEAL } from './endpoint-secrets.sql.ts';

const PURPOSE = 'webhook-secret';

/** The secrets of an endpoint as its row keeps them. */
export interface SealedSecrets {
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

/** How many endpoints are sealed anew at a time. */
const CHUNK_SIZE = 500;

/** Seals secrets of former keys under the current one, so that the former can be given up; lost ones stay. @throws AppError `database_unavailable`. */
export async function resealSecrets({ services: { database, keys } }: Ctx): Promise<void> {
  const sql = database.sql();
  const former = keys.ids.filter(id => id !== keys.currentId);
  for (let after = '00000000-0000-0000-0000-000000000000'; former.length > 0; ) {
    const rows = await FIND_SEALED.run(sql, { after, keyIds: former, limit: CHUNK_SIZE });
    for (const row of rows) {
      const open = openSecrets(keys, row);
      if (open === null) continue;
      const previous = open.previous === null ? null : sealSecret(keys, row.id, open.previous);
      await RESEAL.run(sql, {
        id: row.uuid,
        before: row.secret,
        ...sealSecret(keys, row.id, open.current),
        previousSecret: previous?.secret ?? null,
        previousSecretKeyId: previous?.secretKeyId ?? null,
      });
    }
    const last = rows.at(-1);
    if (!last || rows.length < CHUNK_SIZE) return;
    after = last.uuid;
  }
}
