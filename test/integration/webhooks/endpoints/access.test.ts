import { describe, expect, test } from 'vitest';
import type { Actor, Ctx } from '../../../../src/context.ts';
import { newId, toUuid } from '../../../../src/kernel/ids.ts';
import {
  deleteWebhookEndpoint,
  enableWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  rotateWebhookSecret,
} from '../../../../src/modules/webhooks/endpoints/manage-endpoints.ts';
import { makeAccount } from '../../../support/services.ts';
import { setUpManaging, URL_ONE } from '../../../support/webhooks/endpoint-fixture.ts';
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

describe('a person whose role is taken away while a name is looked up', () => {
  /** A developer of the account, whose URLs are looked up until the role is another one. */
  async function developer(): Promise<Ctx> {
    const [userId, email] = [newId('usr'), `${newId('usr')}@example.com`];
    await on.sql(
      `insert into dashboard_users (id, account_id, email, role, recovery_codes, created_at) values ($1, $2, $3, 'developer', '{}', now())`,
      [toUuid(userId), toUuid(account.accountId), email],
    );
    const session = { userId, email, sessionId: newId('ses'), role: 'developer', mustEnrol: false } as const;
    const ctx = on.ctxFor({ kind: 'user', ...session, account: account.grant });
    const outbound = Object.assign(Object.create(ctx.services.outbound), {
      async check(url: string) {
        await on.sql(`update dashboard_users set role = 'viewer' where id = $1`, [toUuid(userId)]);
        return ctx.services.outbound.check(url);
      },
    });
    return ctx.with({ services: { ...ctx.services, outbound } });
  }

  test('makes no endpoint', async () => {
    await expect(developer().then(ctx => create({}, ctx))).rejects.toMatchObject({ code: 'unauthenticated' });
    expect((await listWebhookEndpoints(manage(), 1)).total).toBe(0);
  });

  test('changes none', async () => {
    const { endpointId } = await makeEndpoint(on, account.accountId);
    const before = await stored(endpointId);
    const changing = developer().then(ctx => update(endpointId, { url: URL_ONE }, ctx));
    await expect(changing).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await stored(endpointId)).toEqual(before);
  });
});
