import { describe, expect, test } from 'vitest';
import type { Actor, Ctx } from '../../../../src/context.ts';
import { newId } from '../../../../src/kernel/ids.ts';
import {
  deleteWebhookEndpoint,
  enableWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  rotateWebhookSecret,
} from '../../../../src/modules/webhooks/endpoints/manage-endpoints.ts';
import { makeAccount } from '../../../support/services.ts';
import { setUpManaging } from '../../../support/webhooks/endpoint-fixture.ts';
import { makeEndpoint } from '../../../support/webhooks/stored-webhooks.ts';

const { account, actFor, create, manage, on, other, stored, update } = setUpManaging();

/** Every verb, on an endpoint of this id where it takes one. */
const VERBS: Record<string, (ctx: Ctx, endpointId: string) => Promise<unknown>> = {
  listWebhookEndpoints: ctx => listWebhookEndpoints(ctx, 1),
  createWebhookEndpoint: ctx => create({}, ctx),
  getWebhookEndpoint,
  updateWebhookEndpoint: (ctx, id) => update(id, { description: 'New' }, ctx),
  enableWebhookEndpoint,
  rotateWebhookSecret,
  deleteWebhookEndpoint,
};

describe.each(Object.entries(VERBS))('%s', (_name, verb) => {
  async function hear(actor: Actor): Promise<unknown> {
    const { endpointId } = await makeEndpoint(on, account.accountId);
    return verb(on.ctxFor(actor), endpointId).then(
      () => 'ok',
      error => error.code,
    );
  }

  test('is open to management tokens and to operators who act for the account', async () => {
    const areas = ['unified', 'sms', 'otp', 'management'] as const;
    const heard = [];
    for (const area of areas) heard.push(await hear(account.actor(area)));
    heard.push(
      await hear(account.operator),
      await hear({ kind: 'operator', account: null }),
      await hear({ kind: 'anonymous' }),
    );
    expect(heard).toEqual(['wrong_area', 'wrong_area', 'wrong_area', 'ok', 'ok', 'invalid_input', 'unauthenticated']);
  });

  test.each([
    [{ unifiedApi: false }, 'unified_api_disabled'],
    [{ planExpiresAt: new Date(Date.now() - 1_000) }, 'plan_expired'],
  ])('is closed to an account with %j, and to operators who act for it', async (seed, code) => {
    actFor(await makeAccount(on.services, seed));
    expect([await hear(account.actor('management')), await hear(account.operator)]).toEqual([code, code]);
  });
});

describe.each(Object.entries(VERBS).filter(([name]) => !/^(list|create)/.test(name)))('%s', (_name, verb) => {
  test("takes another account's endpoint for one that does not exist, and leaves it", async () => {
    const foreign = await makeEndpoint(on, other.accountId);
    const before = await stored(foreign.endpointId);
    const ids = [foreign.endpointId, newId('whk'), newId('dlv'), 'whk_', '', "whk_'; --", 'whk_\u0000'];
    const heard = await Promise.all(
      ids.map(id => verb(manage(), id).catch(error => `${error.code}: ${error.message}`)),
    );
    expect(heard).toEqual(ids.map(() => 'not_found: There is no such webhook endpoint.'));
    expect(await stored(foreign.endpointId)).toEqual(before);
  });
});
