import { describe, expect, test } from 'vitest';
import type { Ctx } from '../../../src/context.ts';
import { AREAS } from '../../../src/kernel/crypto/secrets.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { createToken, listTokens, revokeToken, updateToken } from '../../../src/modules/accounts/manage-tokens.ts';
import { storedAudit } from '../../support/audit/audit-entries.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { refusal } from '../../support/refusal.ts';
import { OPERATOR, type TestAccount } from '../../support/services.ts';

const on = setUpServices();
const account = setUpAccount(on);
const other = setUpAccount(on);

const operator = () => on.ctxFor(OPERATOR);
const manager = () => on.ctxFor(account.actor('management'));

async function make(of: TestAccount = account): Promise<string> {
  return (await createToken(operator(), { accountId: of.accountId, area: 'sms' })).token.id;
}

const idsOf = (tokens: readonly { readonly id: string }[]): string[] => tokens.map(({ id }) => id);

describe('listing tokens', () => {
  test('shows a management token those of its own account', async () => {
    const own = await make();
    await make(other);
    expect(idsOf(await listTokens(manager(), null))).toEqual([own]);
    expect(idsOf(await listTokens(manager(), account.accountId))).toEqual([own]);
  });

  test('shows an operator who acts for an account those of that account', async () => {
    const own = await make();
    await make(other);
    expect(idsOf(await listTokens(on.ctxFor(account.operator), null))).toEqual([own]);
  });

  test('shows an operator those of all, or of the account that is named', async () => {
    const [own, theirs] = [await make(), await make(other)];
    expect(idsOf(await listTokens(operator(), null))).toEqual(expect.arrayContaining([own, theirs]));
    expect(idsOf(await listTokens(operator(), other.accountId))).toEqual([theirs]);
    expect(idsOf(await listTokens(on.ctxFor(account.operator), other.accountId))).toEqual([theirs]);
  });

  test("tells a management token of another account's id what it tells of a missing one", async () => {
    const told = async (accountId: string) => listTokens(manager(), accountId).catch(error => error);
    expect(await told(other.accountId)).toEqual(await told(newId('acc')));
    expect(await told('acc_1')).toEqual(refusal('not_found'));
  });

  test.each(AREAS.filter(area => area !== 'management'))('is closed to the area %s', async area => {
    await expect(listTokens(on.ctxFor(account.actor(area)), null)).rejects.toEqual(refusal('wrong_area'));
  });
});

describe('renaming a token', () => {
  test('is open to a management token of the account, and stands in the audit trail', async () => {
    const tokenId = await make();
    expect((await updateToken(manager(), { tokenId, name: 'Shop server' })).name).toBe('Shop server');
    expect((await listTokens(manager(), null)).find(({ id }) => id === tokenId)?.name).toBe('Shop server');
    await updateToken(manager(), { tokenId, name: null });
    expect((await storedAudit(on, account.accountId)).slice(-2)).toMatchObject([
      { action: 'token.updated', subject: tokenId, details: { name: { from: null, to: 'Shop server' } } },
      { action: 'token.updated', subject: tokenId, details: { name: { from: 'Shop server', to: null } } },
    ]);
  });

  test("leaves another account's, as one that does not exist", async () => {
    const theirs = await make(other);
    const told = async (tokenId: string) => updateToken(manager(), { tokenId, name: 'Mine' }).catch(error => error);
    expect(await told(theirs)).toEqual(await told(newId('tok')));
    expect((await listTokens(operator(), other.accountId))[0]?.name ?? null).toBeNull();
  });
});

describe('revoking a token', () => {
  test('is open to a management token of the account', async () => {
    const token = await revokeToken(manager(), await make());
    expect(token.revokedAt).toBeInstanceOf(Date);
  });

  test('lets a management token revoke itself', async () => {
    const made = await createToken(operator(), { accountId: account.accountId, area: 'management' });
    const { grant } = account;
    const itself = on.ctxFor({ kind: 'token', tokenId: made.token.id, area: 'management', account: grant });
    expect((await revokeToken(itself, made.token.id)).revokedAt).toBeInstanceOf(Date);
  });

  test("leaves another account's, as one that does not exist", async () => {
    const theirs = await make(other);
    const told = async (tokenId: string) => revokeToken(manager(), tokenId).catch(error => error);
    expect(await told(theirs)).toEqual(await told(newId('tok')));
    expect((await listTokens(operator(), other.accountId))[0]?.revokedAt ?? null).toBeNull();
  });

  test('again leaves the time of the first', async () => {
    const tokenId = await make();
    const first = await revokeToken(operator(), tokenId);
    const at = first.revokedAt;
    on.clock.set(new Date(Date.now() + 60_000));
    expect((await revokeToken(operator(), tokenId)).revokedAt).toEqual(at);
  });

  test.each(AREAS.filter(area => area !== 'management'))('is closed to the area %s', async area => {
    const tokenId = await make();
    await expect(revokeToken(on.ctxFor(account.actor(area)), tokenId)).rejects.toEqual(refusal('wrong_area'));
  });
});

describe('the maker of a token', () => {
  const made = async (ctx: Ctx) => {
    const { token } = await createToken(ctx, { accountId: account.accountId, area: 'sms' });
    return { madeBy: token.madeBy, makerEmail: token.makerEmail };
  };

  test('is the person who makes it, by e-mail address', async () => {
    const email = `${newId('usr')}@example.com`;
    const session = { userId: newId('usr'), sessionId: newId('ses'), role: 'owner' } as const;
    await on.sql(
      `insert into dashboard_users (id, account_id, email, role, recovery_codes, created_at) values ($1, $2, $3, 'owner', '{}', now())`,
      [toUuid(session.userId), toUuid(account.accountId), email],
    );
    const person = on.ctxFor({ kind: 'user', email, ...session, account: account.grant, mustEnrol: false });
    expect(await made(person)).toEqual({ madeBy: 'user', makerEmail: email });
  });

  test('is the operator', async () => {
    expect(await made(operator())).toEqual({ madeBy: 'operator', makerEmail: null });
  });
});

test.each(AREAS)('making a token is closed to the area %s', async area => {
  const ctx = on.ctxFor(account.actor(area));
  const input = { accountId: account.accountId, area: 'sms' } as const;
  await expect(createToken(ctx, input)).rejects.toEqual(refusal('wrong_area'));
});
