import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { updateAccount } from '../../../src/modules/accounts/manage-accounts.ts';
import { approveSender } from '../../../src/modules/accounts/manage-senders.ts';
import { createToken, createTokenInput, revokeToken } from '../../../src/modules/accounts/manage-tokens.ts';
import { updateOtpSettings } from '../../../src/modules/accounts/settings/otp-settings.ts';
import type { AuditAction } from '../../../src/modules/audit/audit-actions.ts';
import { changes, recordAudit } from '../../../src/modules/audit/record-audit.ts';
import { createEndpointInput, updateEndpointInput } from '../../../src/modules/webhooks/endpoints/endpoint.input.ts';
import {
  createWebhookEndpoint,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '../../../src/modules/webhooks/endpoints/manage-endpoints.ts';
import { storedAudit } from '../../support/audit/audit-entries.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { makeAccount, OPERATOR, SENDERS, type TestAccount } from '../../support/services.ts';

const on = setUpServices();
let account: TestAccount;

beforeEach(async () => {
  account = await makeAccount(on.services, {
    senders: [...SENDERS, { channel: 'sms', address: 'RAW', approved: false }],
  });
});

const operator = () => on.ctxFor(OPERATOR);
const entries = () => storedAudit(on, account.accountId);

describe('an entry', () => {
  test('names the token of the caller', async () => {
    const actor = account.actor('management');
    const input = createEndpointInput.parse({ url: 'https://8.8.8.8/', events: ['otp.sent'] });
    await createWebhookEndpoint(on.ctxFor(actor), input);
    const tokenId = actor.kind === 'token' ? actor.tokenId : '';
    expect(await entries()).toMatchObject([{ actor: 'token', token_id: toUuid(tokenId) }]);
  });

  test('is dated by the clock of the database', async () => {
    on.clock.set(new Date('2001-01-01T00:00:00Z'));
    await createToken(operator(), createTokenInput.parse({ accountId: account.accountId, area: 'sms' }));
    const rows = await on.sql<{ recent: boolean }>(
      `select created_at > now() - interval '1 minute' as recent from audit_entries where account_id = $1`,
      [toUuid(account.accountId)],
    );
    expect(rows).toEqual([{ recent: true }]);
  });

  test('has what changed, before and after, and nothing else', async () => {
    const { accountId } = account;
    await updateAccount(operator(), { accountId, unifiedApi: true, rateLimit: 5 });
    expect((await entries()).map(entry => entry.details)).toEqual([{ rateLimit: { from: null, to: 5 } }]);
  });

  test('tells times as in the API', async () => {
    const { accountId } = account;
    const planExpiresAt = new Date('2030-01-01T00:00:00Z');
    await updateAccount(operator(), { accountId, planExpiresAt });
    const to = planExpiresAt.toISOString();
    expect((await entries()).map(entry => entry.details)).toEqual([{ planExpiresAt: { from: null, to } }]);
  });

  test('tells a default that was set on purpose, and one that came back', async () => {
    const { accountId } = account;
    await updateOtpSettings(operator(), { accountId, sendsPerDay: 10 });
    await updateOtpSettings(operator(), { accountId, sendsPerDay: null });
    expect((await entries()).map(entry => entry.details)).toEqual([
      { sendsPerDay: { from: null, to: 10 } },
      { sendsPerDay: { from: 10, to: null } },
    ]);
  });

  test('has no query of a URL, where passwords stand, and tells that there is one', async () => {
    const ctx = on.ctxFor(account.actor('management'));
    const create = createEndpointInput.parse({ url: 'https://8.8.8.8/a?key=hidden-one', events: ['otp.sent'] });
    const { endpoint } = await createWebhookEndpoint(ctx, create);
    const url = 'https://8.8.8.8/a?key=hidden-two';
    await updateWebhookEndpoint(ctx, updateEndpointInput.parse({ endpointId: endpoint.id, url }));
    const shown = 'https://8.8.8.8/a?…';
    expect((await entries()).map(entry => entry.details)).toEqual([
      { url: shown, events: ['otp.sent'], description: null },
      { url: { from: shown, to: shown } },
    ]);
  });

  test('holds no secret', async () => {
    const ctx = on.ctxFor(account.actor('management'));
    const { secret: token } = await createToken(operator(), { accountId: account.accountId, area: 'otp' });
    const input = createEndpointInput.parse({ url: 'https://8.8.8.8/', events: ['otp.sent'] });
    const made = await createWebhookEndpoint(ctx, input);
    const rotated = await rotateWebhookSecret(ctx, made.endpoint.id);
    const text = JSON.stringify(await entries());
    for (const secret of [token, made.secret, rotated.secret]) expect(text).not.toContain(secret.slice(12));
  });

  test('is not made by a change that is refused', async () => {
    const { accountId } = account;
    await expect(updateOtpSettings(operator(), { accountId, fraudMode: 'block' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    expect(await entries()).toEqual([]);
  });

  test.each([
    ['erase-12025550142', 'erase-…'],
    ['4bf92f3577b34da6a3ce929d0e0e4736', '4bf92f3577b34da6a3ce929d0e0e4736'],
  ])('of the request %s has the id %s', async (requestId, kept) => {
    await updateAccount(operator().with({ requestId }), { accountId: account.accountId, rateLimit: 5 });
    expect((await entries()).map(entry => entry.request_id)).toEqual([kept]);
  });

  test('is gone with the transaction that it belongs to', async () => {
    const { accountId } = account;
    const failed = operator().em.transactional(async em => {
      await recordAudit(em, operator(), { accountId, action: 'account.updated', subject: accountId, details: {} });
      throw new Error('the change fails');
    });
    await expect(failed).rejects.toThrow('the change fails');
    expect(await entries()).toEqual([]);
  });

  test('is not made for nobody', async () => {
    const nobody = on.ctxFor({ kind: 'anonymous' });
    const change = { accountId: null, action: 'account.updated', subject: null, details: {} } as const;
    await expect(recordAudit(nobody.em, nobody, change)).rejects.toThrow('a change by nobody');
  });

  test('is one, however many at once revoke a token', async () => {
    const { token } = await createToken(operator(), { accountId: account.accountId, area: 'otp' });
    await eightTimes(() => revokeToken(operator(), token.id));
    expect(await count('token.revoked')).toBe(1);
  });

  test('is one, however many at once approve a sender', async () => {
    await eightTimes(() => approveSender(operator(), { accountId: account.accountId, name: 'RAW' }));
    expect(await count('sender.approved')).toBe(1);
  });

  test('is one, however many at once set the same limit', async () => {
    await eightTimes(() => updateAccount(operator(), { accountId: account.accountId, rateLimit: 9 }));
    expect(await count('account.updated')).toBe(1);
  });
});

async function eightTimes(change: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: 8 }, change));
}

async function count(action: AuditAction): Promise<number> {
  return (await entries()).filter(entry => entry.action === action).length;
}

describe('the trail', () => {
  beforeEach(async () => {
    await createToken(operator(), { accountId: account.accountId, area: 'otp' });
  });

  test.each([
    ['update', "update audit_entries set details = '{}'"],
    ['delete', 'delete from audit_entries'],
    ['truncate', 'truncate audit_entries'],
    ['update of no row', "update audit_entries set details = '{}' where false"],
  ])('refuses an %s', async (_name, statement) => {
    const before = await storedAudit(on);
    await expect(on.sql(statement)).rejects.toThrow('audit_entries is append-only');
    expect(await storedAudit(on)).toEqual(before);
  });
});

describe('what changed', () => {
  test('is nothing where both are alike, absent and null being one', () => {
    expect(changes({ a: 1, b: null, at: new Date(0) }, { a: 1, at: new Date(0) })).toBeNull();
  });

  test('is each member that differs', () => {
    expect(changes({ a: 1, b: [1] }, { b: [1, 2], c: 'x' })).toEqual({
      a: { from: 1, to: null },
      b: { from: [1], to: [1, 2] },
      c: { from: null, to: 'x' },
    });
  });
});
