/** Counts the live data of each secret key. Every kind of encrypted data must be listed here. */
import type { Sql } from '../../db/statements/sql.ts';
import type { Answer } from '../../db/statements/statement.ts';
import { FIND_KEY_USES } from './key-uses.sql.ts';

/** The live data of one key: OTPs that can still be verified, and webhook endpoints whose secret it encrypts. */
export type KeyUse = Answer<typeof FIND_KEY_USES>;

/** The live data by key, except for the keys `but`. */
export function findKeyUses(sql: Sql, but: readonly string[] = []): Promise<KeyUse[]> {
  return FIND_KEY_USES.run(sql, { but });
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
