import { describe, expect, test } from 'vitest';
import { createKeyRing } from '../../../../src/kernel/crypto/key-ring.ts';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { openSecrets } from '../../../../src/modules/webhooks/endpoints/endpoint-secrets.ts';
import {
  getWebhookEndpoint,
  rotateWebhookSecret,
} from '../../../../src/modules/webhooks/endpoints/manage-endpoints.ts';
import { createTestCtx } from '../../../support/services.ts';
import { SECRET, setUpManaging } from '../../../support/webhooks/endpoint-fixture.ts';

const { account, create, manage, on, set } = setUpManaging();

describe('rotating a secret', () => {
  const secretsOf = async (endpointId: string) =>
    openSecrets(on.services.keys, await getWebhookEndpoint(manage(), endpointId));

  test('answers a new one, and the one before signs too', async () => {
    const first = await create();
    const { secret } = await rotateWebhookSecret(manage(), first.endpoint.id);
    expect(secret).toMatch(SECRET);
    expect(await secretsOf(first.endpoint.id)).toEqual({ current: secret, previous: first.secret });
  });

  test("lets the one before sign for 24 hours by the database's clock", async () => {
    const { endpoint } = await create();
    // This clock is a year behind: it decides nothing.
    on.clock.set(new Date(Date.now() - 365 * 86_400_000));
    await rotateWebhookSecret(manage(), endpoint.id);
    const [row] = await on.sql<{ seconds: number }>(
      `select extract(epoch from previous_secret_until - clock_timestamp())::float8 as seconds from webhook_endpoints where id = $1`,
      [toUuid(endpoint.id)],
    );
    expect(row?.seconds).toBeGreaterThan(86_390);
    expect(row?.seconds).toBeLessThanOrEqual(86_400);
  });

  test('keeps only the latest of those before', async () => {
    const { endpoint } = await create();
    const second = await rotateWebhookSecret(manage(), endpoint.id);
    const third = await rotateWebhookSecret(manage(), endpoint.id);
    expect(await secretsOf(endpoint.id)).toEqual({ current: third.secret, previous: second.secret });
  });

  test('gives each of two rotations at once a secret of its own, the second over the first', async () => {
    const { endpoint } = await create();
    const both = await Promise.all([1, 2].map(() => rotateWebhookSecret(manage(), endpoint.id)));
    const kept = await secretsOf(endpoint.id);
    expect([kept?.current, kept?.previous].sort()).toEqual(both.map(({ secret }) => secret).sort());
  });

  test('mends a secret whose key is lost', async () => {
    const { endpoint } = await create();
    const ctx = createTestCtx(
      { ...on.services, keys: createKeyRing(Buffer.alloc(32, 9), []) },
      account.actor('management'),
    );
    const { secret } = await rotateWebhookSecret(ctx, endpoint.id);
    const row = await getWebhookEndpoint(manage(), endpoint.id);
    expect(openSecrets(ctx.services.keys, row)).toEqual({ current: secret, previous: null });
    expect(row.previousSecretUntil ?? null).toBeNull();
  });
});

describe('the secrets of an endpoint', () => {
  const former = Buffer.alloc(32, 7);

  test('open under a former secret key', async () => {
    const { endpoint, secret } = await create();
    const ring = createKeyRing(Buffer.alloc(32, 8), [former]);
    expect(openSecrets(ring, endpoint)).toEqual({ current: secret, previous: null });
  });

  test('do not open in the row of another endpoint', async () => {
    const [one, two] = [await create(), await create()];
    await set(
      two.endpoint.id,
      `secret = (select secret from webhook_endpoints where id = '${toUuid(one.endpoint.id)}')`,
    );
    expect(openSecrets(on.services.keys, await getWebhookEndpoint(manage(), two.endpoint.id))).toBeNull();
  });

  test('sign with the current one alone where the key of the one before is lost', async () => {
    const { endpoint } = await create();
    const { secret } = await rotateWebhookSecret(manage(), endpoint.id);
    await set(endpoint.id, `previous_secret_key_id = '00000000'`);
    const row = await getWebhookEndpoint(manage(), endpoint.id);
    expect(openSecrets(on.services.keys, row)).toEqual({ current: secret, previous: null });
  });
});
