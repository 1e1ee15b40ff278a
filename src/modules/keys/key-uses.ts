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

/** The uses as text, such as `3 live passcodes, the secrets of 2 webhook endpoints and the config of 1 connection`; null if there are none. */
export function describeUses(uses: readonly KeyUse[]): string | null {
  const otps = uses.reduce((sum, use) => sum + use.otps, 0);
  const endpoints = uses.reduce((sum, use) => sum + use.endpoints, 0);
  const connections = uses.reduce((sum, use) => sum + use.connections, 0);
  const factors = uses.reduce((sum, use) => sum + use.factors, 0);
  const rules = uses.reduce((sum, use) => sum + use.rules, 0);
  const stops = uses.reduce((sum, use) => sum + use.stops, 0);
  const parts = [
    ...(otps > 0 ? [`${otps} live passcode${otps === 1 ? '' : 's'}`] : []),
    ...(endpoints > 0
      ? [endpoints === 1 ? 'the secret of 1 webhook endpoint' : `the secrets of ${endpoints} webhook endpoints`]
      : []),
    ...(connections > 0
      ? [connections === 1 ? 'the config of 1 connection' : `the configs of ${connections} connections`]
      : []),
    ...(factors > 0
      ? [factors === 1 ? 'the second factor of 1 person' : `the second factors of ${factors} people`]
      : []),
    ...(rules > 0 ? [rules === 1 ? 'the URL of 1 alert rule' : `the URLs of ${rules} alert rules`] : []),
    ...(stops > 0 ? [stops === 1 ? 'the stop of 1 erased recipient' : `the stops of ${stops} erased recipients`] : []),
  ];
  return parts.length === 0
    ? null
    : new Intl.ListFormat('en', { type: 'conjunction' }).format(parts).replace(', and', ' and');
}
