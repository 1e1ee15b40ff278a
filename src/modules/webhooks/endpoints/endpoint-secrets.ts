/** The secrets of endpoints: sealed in their rows, opened only to sign. */
import type { Ctx } from '../../../context.ts';
import { statement } from '../../../db/statements/statement.ts';
import type { KeyRing } from '../../../kernel/crypto/key-ring.ts';
import { seal, unseal } from '../../../kernel/crypto/sealed.ts';
import { fromUuid } from '../../../kernel/ids.ts';

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

/** How many endpoints are sealed anew at a time. */
const CHUNK_SIZE = 500;

const FIND_SEALED = statement('find sealed secrets', {
  takes: { after: 'uuid', keyIds: 'text[]', limit: 'int' },
  gives: { id: 'uuid', secret: 'text', key_id: 'varchar', previous: 'text?', previous_key_id: 'varchar?' },
  sql: p => `select id, secret, secret_key_id as key_id, previous_secret as previous, previous_secret_key_id as previous_key_id
    from webhook_endpoints where id > ${p.after} and (secret_key_id = any(${p.keyIds}) or previous_secret_key_id = any(${p.keyIds}))
    order by id limit ${p.limit}`,
});

// One that was rotated meanwhile is sealed as it should be.
const RESEAL = statement('reseal', {
  takes: { id: 'uuid', before: 'text', secret: 'text', keyId: 'text', previous: 'text?', previousKeyId: 'text?' },
  sql: p => `update webhook_endpoints set secret = ${p.secret}, secret_key_id = ${p.keyId},
      previous_secret = ${p.previous}, previous_secret_key_id = ${p.previousKeyId}
    where id = ${p.id} and secret = ${p.before}`,
});

/**
 * Seals what was sealed under a former secret key under the current one, so that the former one can be given up. A secret whose key is
 * lost stays as it is, until it is rotated. @throws AppError `database_unavailable`.
 */
export async function resealSecrets({ services: { database, keys } }: Ctx): Promise<void> {
  const sql = database.sql();
  const former = keys.ids.filter(id => id !== keys.currentId);
  for (let after = '00000000-0000-0000-0000-000000000000'; former.length > 0; ) {
    const rows = await FIND_SEALED.run(sql, { after, keyIds: former, limit: CHUNK_SIZE });
    for (const row of rows) {
      const id = fromUuid('whk', row.id);
      const open = openSecrets(keys, {
        id,
        secret: row.secret,
        secretKeyId: row.key_id,
        previousSecret: row.previous,
        previousSecretKeyId: row.previous_key_id,
      });
      if (open === null) continue;
      const current = sealSecret(keys, id, open.current);
      const previous = open.previous === null ? null : sealSecret(keys, id, open.previous);
      await RESEAL.run(sql, {
        id: row.id,
        before: row.secret,
        secret: current.secret,
        keyId: current.secretKeyId,
        previous: previous?.secret ?? null,
        previousKeyId: previous?.secretKeyId ?? null,
      });
    }
    const last = rows.at(-1);
    if (!last || rows.length < CHUNK_SIZE) return;
    after = last.id;
  }
}
