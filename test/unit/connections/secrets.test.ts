import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MASK, maskedSecrets, maskSecrets, unmaskSecrets } from '../../../src/modules/connections/sealed-config.ts';
import { assertProperty } from '../../support/runner/properties.ts';

const secret = z.string().meta({ secret: true });

/** A config of every kind of schema that a secret may stand in. */
const CONFIG = z.strictObject({
  host: z.string(),
  password: secret,
  token: z.string().meta({ secret: true }).optional(),
  pin: secret.nullable().default('0'),
  secrets: z.record(z.string(), z.string()).default({}).meta({ secret: true }),
  accounts: z.record(z.string(), z.strictObject({ user: z.string(), key: secret })),
  servers: z.array(z.strictObject({ host: z.string(), key: secret.optional() })),
  tls: z.union([z.literal(true), z.strictObject({ ca: z.string(), key: secret })]).optional(),
  both: z.intersection(z.object({ user: z.string() }), z.object({ key: secret })),
  trimmed: secret.pipe(z.string().trim()),
});

const NAMES = ['password', 'token', 'pin', 'secrets', 'key', 'trimmed'];

const text = fc.string().filter(value => value !== MASK);
const configs = fc.record(
  {
    host: text,
    password: text,
    token: text,
    pin: fc.option(text),
    secrets: fc.dictionary(fc.string(), text),
    accounts: fc.dictionary(fc.string(), fc.record({ user: text, key: text })),
    servers: fc.array(fc.record({ host: text, key: text }, { requiredKeys: ['host'] })),
    tls: fc.oneof(fc.constant(true), fc.record({ ca: text, key: text })),
    both: fc.record({ user: text, key: text }),
    trimmed: text,
  },
  { requiredKeys: ['host', 'password', 'secrets', 'accounts', 'servers', 'both', 'trimmed'], noNullPrototype: true },
);

/** The same config with each text of a secret replaced, found by the names alone. */
function maskByName(value: unknown, isSecret = false): unknown {
  if (Array.isArray(value)) return value.map(item => maskByName(item, isSecret));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, maskByName(inner, isSecret || NAMES.includes(name))]),
    );
  return isSecret && typeof value === 'string' ? MASK : value;
}

describe('a config with secrets', () => {
  test('is shown with every secret masked, and nothing else', () => {
    assertProperty(
      fc.property(
        configs.filter(({ accounts }) => !Object.keys(accounts).some(name => NAMES.includes(name))),
        config => {
          expect(maskSecrets(CONFIG, config)).toEqual(maskByName(config));
        },
      ),
    );
  });

  test('is itself again when it is given back as it was shown', () => {
    assertProperty(
      fc.property(configs, config => {
        const given = maskSecrets(CONFIG, config);
        expect(unmaskSecrets(CONFIG, given, config)).toEqual(config);
      }),
    );
  });

  test('keeps a new secret that is given beside masks', () => {
    const stored = { host: 'a', password: 'old', token: 'kept' };
    const config = unmaskSecrets(CONFIG, { host: 'b', password: 'new', token: MASK }, stored);
    expect(config).toEqual({ host: 'b', password: 'new', token: 'kept' });
    expect(maskedSecrets(CONFIG, config)).toEqual([]);
  });

  test.each<[what: string, stored: unknown]>([
    ['nothing is stored', null],
    ['nothing is stored under that name', { password: 'p' }],
    ['something else stands there', { tls: true, secrets: { other: 'x' }, accounts: [] }],
  ])('names the masks for which there is no secret: %s', (_what, stored) => {
    const given = {
      secrets: { constructor: MASK },
      accounts: { main: { user: 'u', key: MASK } },
      servers: [{ host: 'h' }, { host: 'i', key: MASK }],
      tls: { ca: MASK, key: MASK },
    };
    expect(maskedSecrets(CONFIG, unmaskSecrets(CONFIG, given, stored))).toEqual([
      'secrets.constructor',
      'accounts.main.key',
      'servers.1.key',
      'tls.key',
    ]);
  });

  test('may be anything: what does not fit its schema is left to that', () => {
    assertProperty(
      fc.property(fc.jsonValue(), value => {
        expect(unmaskSecrets(CONFIG, value, null)).toEqual(value);
      }),
    );
    const odd = { constructor: 1, password: { toString: 'x' }, servers: { 0: 1 }, tls: 'x' };
    expect(unmaskSecrets(CONFIG, odd, null)).toEqual(odd);
  });
});
