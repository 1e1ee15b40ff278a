import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fromUuid, newId, toUuid } from '../../../src/kernel/ids.ts';
import { balance } from '../../../src/modules/billing/balance.ts';
import { updateBilling } from '../../../src/modules/billing/update-billing.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { scriptedProviders } from '../../support/app.ts';
import {
  createTestServices,
  makeAccount,
  OPERATOR,
  type TestAccount,
  type TestServices,
} from '../../support/services.ts';

let on: TestServices;
let account: TestAccount;
/** Asks the balance in the middle of a send, when the provider has it. */
let duringSend: (() => Promise<void>) | null = null;

beforeAll(async () => {
  const providers = scriptedProviders(async () => {
    await duringSend?.();
    return { kind: 'accepted', providerMessageId: newId('sbx') };
  });
  on = await createTestServices({ providers });
});
afterAll(() => on.close());
beforeEach(async () => {
  duringSend = null;
  account = await makeAccount(on, { credits: 10 });
});

const read = () => balance(on.ctxFor(account.actor('sms')), null);
const SMS = { to: '+12025550100', text: 'Hello', channels: ['sms' as const], sender: 'ACME' };

/** Balances at the moment at which a provider had the SMS. */
async function whileSending(send: () => Promise<unknown>) {
  let seen: Awaited<ReturnType<typeof balance>> | null = null;
  duringSend = async () => {
    seen = await read();
  };
  await send();
  return seen;
}

describe('the balance', () => {
  test('of an account that never sent has all its credits', async () => {
    expect(await read()).toEqual({
      accountId: account.accountId,
      credits: 10,
      held: 0,
      lowBalanceThreshold: null,
      lowBalanceSince: null,
      dailySpendCap: null,
      spentToday: 0,
    });
  });

  test('counts the SMS of a message under way as held', async () => {
    const seen = await whileSending(() =>
      sendMessage(on.ctxFor(account.actor('sms')), { ...SMS, text: 'a'.repeat(161) }),
    );
    expect(seen).toMatchObject({ credits: 8, held: 2, spentToday: 2 });
  });

  test('counts the SMS of a passcode under way as held', async () => {
    const seen = await whileSending(() => sendOtp(on.ctxFor(account.actor('otp')), { to: '+12025550100' }));
    expect(seen).toMatchObject({ credits: 9, held: 1, spentToday: 1 });
  });

  test('holds nothing once the provider has accepted', async () => {
    await sendMessage(on.ctxFor(account.actor('sms')), SMS);
    expect(await read()).toMatchObject({ credits: 9, held: 0, spentToday: 1 });
  });

  test('has spent nothing today of what was spent on another day', async () => {
    await on.sql(`update accounts set spend_day = (now() at time zone 'UTC')::date - 1, spent = 7 where id = $1`, [
      toUuid(account.accountId),
    ]);
    expect(await read()).toMatchObject({ spentToday: 0 });
  });

  test("has no part of another account's sends", async () => {
    const other = await makeAccount(on, { credits: 5 });
    let seen: unknown = null;
    duringSend = async () => {
      seen = await balance(on.ctxFor(other.actor('sms')), null);
    };
    await sendMessage(on.ctxFor(account.actor('sms')), SMS);
    expect(seen).toMatchObject({ credits: 5, held: 0, spentToday: 0 });
  });
});

describe('who may ask for a balance', () => {
  test.each(['unified', 'sms', 'otp', 'management'] as const)('a token of the area %s for its own', async area => {
    expect(await balance(on.ctxFor(account.actor(area)), account.accountId)).toMatchObject({ credits: 10 });
  });

  test('an operator for any', async () => {
    expect(await balance(on.ctxFor(OPERATOR), account.accountId)).toMatchObject({ credits: 10 });
  });

  test('an operator for the account that it acts for', async () => {
    expect(await balance(on.ctxFor(account.operator), null)).toMatchObject({ accountId: account.accountId });
  });

  test('not an operator who names none', async () => {
    await expect(balance(on.ctxFor(OPERATOR), null)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test.each([
    ['a missing account', () => newId('acc')],
    ['a malformed id', () => 'acc_1'],
  ])('an operator hears not_found of %s', async (_what, id) => {
    await expect(balance(on.ctxFor(OPERATOR), id())).rejects.toMatchObject({ code: 'not_found' });
  });

  test("a token hears not_found of another account's id", async () => {
    const other = await makeAccount(on);
    await expect(balance(on.ctxFor(account.actor('unified')), other.accountId)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('the billing of an account', () => {
  const set = (input: Omit<Parameters<typeof updateBilling>[1], 'accountId'>) =>
    updateBilling(on.ctxFor(OPERATOR), { accountId: account.accountId, ...input });

  const audited = () =>
    on.sql<{ action: string; subject: string; details: unknown }>(
      'select action, subject, details from audit_entries where account_id = $1 order by id',
      [toUuid(account.accountId)],
    );

  test('is set, and what is absent stays', async () => {
    await set({ lowBalanceThreshold: 5 });
    expect(await set({ dailySpendCap: 0 })).toMatchObject({ lowBalanceThreshold: 5, dailySpendCap: 0 });
  });

  test('is taken away by null', async () => {
    await set({ lowBalanceThreshold: 5, dailySpendCap: 7 });
    const none = { lowBalanceThreshold: null, dailySpendCap: null };
    expect(await set(none)).toMatchObject(none);
  });

  test('makes a balance low that is below the new threshold', async () => {
    expect((await set({ lowBalanceThreshold: 11 })).lowBalanceSince).toBeInstanceOf(Date);
  });

  test('leaves a balance that is at the threshold', async () => {
    expect(await set({ lowBalanceThreshold: 10 })).toMatchObject({ lowBalanceSince: null });
  });

  test('is in the audit trail where it changed, and only there', async () => {
    await set({ lowBalanceThreshold: 5 });
    await set({ lowBalanceThreshold: 5 });
    expect(await audited()).toEqual([
      {
        action: 'billing.updated',
        subject: account.accountId,
        details: { lowBalanceThreshold: { from: null, to: 5 } },
      },
    ]);
  });

  test('is the operator’s to set', async () => {
    const ctx = on.ctxFor(account.actor('management'));
    await expect(updateBilling(ctx, { accountId: account.accountId, dailySpendCap: 1 })).rejects.toMatchObject({
      code: 'wrong_area',
    });
  });

  test('of an account that does not exist is not_found', async () => {
    const accountId = fromUuid('acc', '00000000-0000-7000-8000-000000000000');
    await expect(updateBilling(on.ctxFor(OPERATOR), { accountId })).rejects.toMatchObject({ code: 'not_found' });
  });
});
