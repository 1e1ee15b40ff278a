/** What lives in the database that was made with a secret key, by the id of the key: the one list of it. */
import { runSql, type Sql } from '../../db/statements/sql.ts';

/** How much lives that was made with one key. */
export interface KeyUse {
  /** The id of the key, 8 hex digits. */
  readonly keyId: string;
  /** Passcodes that may still be verified. */
  readonly passcodes: number;
  /** Webhook endpoints with a secret that is sealed with it. */
  readonly endpoints: number;
}

/** What has no key is left out: secrets that were forgotten (`forget-key.ts`), and the decoy among the passcodes. */
const USES = `
  with used as (
    select key_id, 'passcode' as thing, id::text from otps where status in ('pending', 'sent') and expires_at > clock_timestamp()
    union
    select secret_key_id, 'endpoint', id::text from webhook_endpoints
    union
    select previous_secret_key_id, 'endpoint', id::text from webhook_endpoints where previous_secret_until > clock_timestamp()
  )
  select key_id, count(*) filter (where thing = 'passcode')::int as passcodes,
    count(*) filter (where thing = 'endpoint')::int as endpoints
  from used where key_id <> '' and key_id <> all($1::text[]) group by key_id order by key_id`;

/** What lives, by key, without that of the keys `but`. */
export async function findKeyUses(sql: Sql, but: readonly string[] = []): Promise<KeyUse[]> {
  const rows = await runSql<{ key_id: string; passcodes: number; endpoints: number }>(sql, USES, [but]);
  return rows.map(({ key_id: keyId, passcodes, endpoints }) => ({ keyId, passcodes, endpoints }));
}

/** Such a use in words, as in `3 live passcodes and the secrets of 2 webhook endpoints`; null where nothing lives. */
export function describeUses(uses: readonly KeyUse[]): string | null {
  const passcodes = uses.reduce((sum, use) => sum + use.passcodes, 0);
  const endpoints = uses.reduce((sum, use) => sum + use.endpoints, 0);
  const parts = [
    ...(passcodes > 0 ? [`${passcodes} live passcode${passcodes === 1 ? '' : 's'}`] : []),
    ...(endpoints > 0
      ? [endpoints === 1 ? 'the secret of 1 webhook endpoint' : `the secrets of ${endpoints} webhook endpoints`]
      : []),
  ];
  return parts.length === 0 ? null : parts.join(' and ');
}
