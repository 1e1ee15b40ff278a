/** Counts the live data of each secret key. Every kind of encrypted data must be listed here. */
import { runSql, type Sql } from '../../db/statements/sql.ts';

/** The live data of one key. */
export interface KeyUse {
  /** The id of the key, 8 hex digits. */
  readonly keyId: string;
  /** OTPs that can still be verified. */
  readonly otps: number;
  /** Webhook endpoints whose secret it encrypts. */
  readonly endpoints: number;
}

/** Rows without a key id are skipped: forgotten secrets (`forget-key.ts`), and the decoy OTP. */
const USES = `
  with used as (
    select key_id, 'otp' as thing, id::text from otps where status in ('pending', 'sent') and expires_at > clock_timestamp()
    union
    select secret_key_id, 'endpoint', id::text from webhook_endpoints
    union
    select previous_secret_key_id, 'endpoint', id::text from webhook_endpoints where previous_secret_until > clock_timestamp()
  )
  select key_id, count(*) filter (where thing = 'otp')::int as otps,
    count(*) filter (where thing = 'endpoint')::int as endpoints
  from used where key_id <> '' and key_id <> all($1::text[]) group by key_id order by key_id`;

/** The live data by key, except for the keys `but`. */
export async function findKeyUses(sql: Sql, but: readonly string[] = []): Promise<KeyUse[]> {
  const rows = await runSql<{ key_id: string; otps: number; endpoints: number }>(sql, USES, [but]);
  return rows.map(({ key_id: keyId, otps, endpoints }) => ({ keyId, otps, endpoints }));
}

/** The uses as text, such as `3 live passcodes and the secrets of 2 webhook endpoints`; null if there are none. */
export function describeUses(uses: readonly KeyUse[]): string | null {
  const otps = uses.reduce((sum, use) => sum + use.otps, 0);
  const endpoints = uses.reduce((sum, use) => sum + use.endpoints, 0);
  const parts = [
    ...(otps > 0 ? [`${otps} live passcode${otps === 1 ? '' : 's'}`] : []),
    ...(endpoints > 0
      ? [endpoints === 1 ? 'the secret of 1 webhook endpoint' : `the secrets of ${endpoints} webhook endpoints`]
      : []),
  ];
  return parts.length === 0 ? null : parts.join(' and ');
}
