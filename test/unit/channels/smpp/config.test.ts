import { describe, expect, test } from 'vitest';
import { smppConfig } from '../../../../src/channels/smpp/config.ts';
import { HOOKS_TEST_CERTIFICATE } from '../../../support/outbound/certificate.ts';

const LEAST = { host: 'smsc.test', port: 2775, systemId: 'gateway', password: 'secret' };

/** The path and the words of each fault. */
const faults = (given: object): string[] =>
  (smppConfig.safeParse({ ...LEAST, ...given }).error?.issues ?? []).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );

describe('the config', () => {
  test('has the defaults of the contract', () => {
    expect(smppConfig.parse(LEAST)).toEqual({
      ...LEAST,
      bind: 'transceiver',
      sessions: 1,
      window: 10,
      longMessages: 'udh8',
      receiptIds: 'same',
      responseTimeoutMs: 10_000,
      enquireLinkMs: 30_000,
    });
  });

  test.each<[string, object]>([
    ['TLS by the well-known authorities', { tls: true }],
    ['TLS by an authority of its own', { tls: { ca: HOOKS_TEST_CERTIFICATE, servername: 'hooks.test' } }],
    ['TLS by several', { tls: { ca: `${HOOKS_TEST_CERTIFICATE}\n${HOOKS_TEST_CERTIFICATE}` } }],
    ['no limit to its throughput', { throughput: null }],
    ['a throughput below one', { throughput: 0.5 }],
  ])('may have %s', (_what, given) => {
    expect(faults(given)).toEqual([]);
  });

  test.each<[string, object, string]>([
    ['an empty host', { host: '' }, 'host: must not be empty'],
    ['the port 0', { port: 0 }, 'port: must be from 1 to 65535'],
    ['a password that no bind can hold', { password: 'ninechars' }, 'password: must have at most 8 characters'],
    ['a name with a NUL', { systemId: 'a\0' }, 'systemId: must be printable ASCII'],
    ['no throughput at all', { throughput: 0 }, 'throughput: must be more than 0'],
    ['no window', { window: 0 }, 'window: must be from 1 to 1000'],
    ['too many sessions', { sessions: 17 }, 'sessions: must be from 1 to 16'],
    ['another bind', { bind: 'receiver' }, 'bind: must be transceiver or separate'],
    ['another way of long messages', { longMessages: 'cut' }, 'longMessages: must be one of udh8, udh16, sar, payload'],
    ['other ids', { receiptIds: 'hex' }, 'receiptIds: must be one of same, hexToDec, decToHex'],
  ])('is refused with %s', (_what, given, fault) => {
    expect(faults(given)).toEqual([fault]);
  });

  test.each<[string, unknown]>([
    ['that is off', false],
    ['whose authority is no certificate', { ca: 'none' }],
    ['whose authority cannot be read', { ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' }],
    ['whose name is an address', { servername: '127.0.0.1' }],
    ['with what is not known', { rejectUnauthorized: false }],
  ])('is refused with TLS %s', (_what, tls) => {
    expect(faults({ tls })).toHaveLength(1);
  });

  test('marks the password as its only secret', () => {
    const secrets = Object.entries(smppConfig.shape).filter(([, schema]) => schema.meta()?.secret === true);
    expect(secrets.map(([name]) => name)).toEqual(['password']);
  });
});
