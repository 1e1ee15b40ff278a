import { beforeAll, describe, expect, test, vi } from 'vitest';
import { hashToken, newToken } from '../../../../src/kernel/crypto/secrets.ts';
import { type DeadTokens, deadTokens } from '../../../support/actors.ts';
import { OPERATOR_TOKEN } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { SMS } from '../../../support/messaging/send-cases.ts';

// A token says from where it was used.
const on = setUpApp({ mayTell: /"lastUsedFrom":"127\.0\.0\.1"/g });
const customer = setUpCustomer(on);
let dead: DeadTokens;

beforeAll(async () => {
  dead = await deadTokens(on, customer);
});

const SHOWN = 'tokenId area name prefix madeBy makerEmail createdAt lastUsedAt lastUsedFrom expiresAt revokedAt';
const CREATE = `mutation ($input: CreateTokenInput!) {
  createToken(input: $input) { secret token { ${SHOWN} } }
}`;
const LIST = `query ($id: String) { tokens(accountId: $id) { ${SHOWN} } }`;

interface TokenShown {
  readonly tokenId: string;
  readonly lastUsedAt: string | null;
  readonly lastUsedFrom: string | null;
}

const create = (input: object) =>
  on.graphql<{ createToken: { secret: string; token: TokenShown } }>(CREATE, {
    token: OPERATOR_TOKEN,
    variables: { input: { area: 'SMS', ...input } },
  });

describe('createToken', () => {
  test('takes an expiry', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { data } = await create({ accountId: customer.accountId, expiresAt });
    expect(data?.createToken.token).toMatchObject({ area: 'SMS', expiresAt, lastUsedAt: null, revokedAt: null });
  });

  test('makes a token without end where it is absent or null', async () => {
    for (const input of [{}, { expiresAt: null }]) {
      const { data } = await create({ accountId: customer.accountId, ...input });
      expect(data?.createToken.token).toMatchObject({ expiresAt: null });
    }
  });

  test('takes a name, without blanks at its ends', async () => {
    const { data } = await create({ accountId: customer.accountId, name: ' Shop server ' });
    expect(data?.createToken.token).toMatchObject({ name: 'Shop server' });
  });

  test.each(['', ' ', 'a'.repeat(101), 'two\nlines'])('refuses the name %j', async name => {
    const { errors } = await create({ accountId: customer.accountId, name });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_INPUT', errors: [{ field: 'name' }] });
  });

  test.each(['2001-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '1970-01-01T00:00:00Z'])(
    'refuses the expiry %s by its name',
    async expiresAt => {
      const { errors } = await create({ accountId: customer.accountId, expiresAt });
      expect(errors?.map(({ extensions }) => [extensions.code, extensions.errors?.map(({ field }) => field)])).toEqual([
        ['INVALID_INPUT', [expect.stringMatching(/^(input\.)?expiresAt$/)]],
      ]);
    },
  );
});

describe('tokens', () => {
  test('tells name, maker, prefix, area and times, and no secret', async () => {
    const other = await on.customer();
    const made = await create({ accountId: other.accountId, name: 'Shop' });
    const secret = made.data?.createToken.secret ?? '';
    const { data, text } = await on.graphql<{ tokens: readonly TokenShown[] }>(LIST, {
      token: OPERATOR_TOKEN,
      variables: { id: other.accountId },
    });
    expect(data?.tokens.at(-1)).toEqual({
      tokenId: made.data?.createToken.token.tokenId,
      area: 'SMS',
      name: 'Shop',
      madeBy: 'OPERATOR',
      makerEmail: null,
      prefix: secret.slice(0, 11),
      createdAt: expect.any(String),
      lastUsedAt: null,
      lastUsedFrom: null,
      expiresAt: null,
      revokedAt: null,
    });
    expect(text).not.toContain(secret.slice(12));
    expect(text).not.toContain(hashToken(secret).toString('hex'));
  });

  test('tells when a token was last used, and from where', async () => {
    const own = await on.customer();
    const startedMs = Date.now();
    await vi.waitFor(
      async () => {
        const { data } = await on.graphql<{ tokens: readonly TokenShown[] }>(LIST, { token: own.tokens.management });
        const used = data?.tokens.filter(({ lastUsedAt }) => lastUsedAt !== null) ?? [];
        expect(used).toHaveLength(1);
        expect(used[0]?.lastUsedFrom).toBe('127.0.0.1');
        expect(Math.abs(Date.parse(used[0]?.lastUsedAt ?? '') - startedMs)).toBeLessThan(60_000);
      },
      { timeout: 20_000, interval: 20 },
    );
  });
});

/** Every way in which a token can be none that opens anything. */
const DEAD: Record<string, () => string> = {
  'is revoked': () => dead.revoked,
  'is over': () => dead.expired,
  'was never made': () => newToken('unified'),
  'has another shape': () => 'no-token-at-all',
  'is of an unknown area': () => `hg_xyz_${'a'.repeat(43)}`,
};

describe.each(Object.entries(DEAD))('a token that %s', (_name, token) => {
  test('is answered over REST as one that was never made', async () => {
    const known = await on.rest('POST', '/api/omni/send', { token: newToken('unified'), body: SMS });
    const asked = await on.rest('POST', '/api/omni/send', { token: token(), body: SMS });
    expect(asked.status).toBe(401);
    expect({ ...asked.body, requestId: '' }).toEqual({ ...known.body, requestId: '' });
    expect([...asked.headers.keys()]).toEqual([...known.headers.keys()]);
  });

  test('is answered over GraphQL as one that was never made', async () => {
    const known = await on.graphql('{ account { id } }', { token: newToken('unified') });
    const asked = await on.graphql('{ account { id } }', { token: token() });
    expect(asked.errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
    expect(asked.text).toBe(known.text);
  });
});
