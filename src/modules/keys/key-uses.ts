/** Counts the live data of each secret key. Every kind of encrypted data must be listed here. */
import type { Sql } from '../../db/statements/sql.ts';
import type { Answer } from '../../db/statements/statement.ts';
import { FIND_KEY_USES } from './key-uses.sql.ts';

/** The live data that one key encrypts, counted: OTPs, endpoints, connections, second factors, alert rules and stops of erased recipients. */
export type KeyUse = Answer<typeof FIND_KEY_USES>;

/** The live data by key, except for the keys `but`. */
export function findKeyUses(sql: Sql, but: readonly string[] = []): Promise<KeyUse[]> {
  return FIND_KEY_USES.run(sql, { but });
}

/** The words for each kind of live data: for one, and for a number of them. */
const WORDS = [
  ['otps', '1 live passcode', (n: number) => `${n} live passcodes`],
  ['endpoints', 'the secret of 1 webhook endpoint', (n: number) => `the secrets of ${n} webhook endpoints`],
  ['connections', 'the config of 1 connection', (n: number) => `the configs of ${n} connections`],
  ['factors', 'the second factor of 1 person', (n: number) => `the second factors of ${n} people`],
  ['rules', 'the URL of 1 alert rule', (n: number) => `the URLs of ${n} alert rules`],
  ['stops', 'the stop of 1 erased recipient', (n: number) => `the stops of ${n} erased recipients`],
] as const;

/** The uses as text, such as `3 live passcodes, the secrets of 2 webhook endpoints and the config of 1 connection`; null if there are none. */
export function describeUses(uses: readonly KeyUse[]): string | null {
  const parts = WORDS.flatMap(([kind, one, many]) => {
    const count = uses.reduce((sum, use) => sum + use[kind], 0);
    if (count === 0) return [];
    return [count === 1 ? one : many(count)];
  });
  return parts.length === 0
    ? null
    : new Intl.ListFormat('en', { type: 'conjunction' }).format(parts).replace(', and', ' and');
}
