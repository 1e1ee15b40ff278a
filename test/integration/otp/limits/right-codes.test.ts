import { beforeEach, describe, expect, test } from 'vitest';
import type { Ctx, OtpSettings } from '../../../../src/context.ts';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { DECOY_ID } from '../../../../src/modules/otp/verify/verify.sql.ts';
import { setUpAccount, setUpServices } from '../../../support/fixtures.ts';
import { newAddress } from '../../../support/otp/addresses.ts';
import { wrongAgo } from '../../../support/otp/budgets.ts';
import { guess, holderWith, type Told } from '../../../support/otp/guess.ts';
import { makePin, storedPin, wrongCode } from '../../../support/otp/pins.ts';
import { makeAccount } from '../../../support/services.ts';
import { makeEndpoint } from '../../../support/webhooks/stored-webhooks.ts';

const t = setUpServices();
const account = setUpAccount(t);

const ctx = (settings: Partial<OtpSettings> = {}): Ctx => t.ctxFor(holderWith(account, settings));
const pin = (seed: { recipient?: string; expiresInSeconds?: number } = {}) =>
  makePin(t.sql, { accountId: account.accountId, ...seed });
const times = (count: number, value: number): number[] => Array.from({ length: count }, () => value);

/** Only the statement for groups that are not right throughout keeps budgets. */
async function budgetRows(accountId = account.accountId): Promise<number> {
  const [row] = await t.sql<{ n: number }>('select count(*)::int as n from otp_accounts where account_id = $1', [
    toUuid(accountId),
  ]);
  return row?.n ?? 0;
}

// A group is asked of the short statement when the one before it was right.
beforeEach(async () => {
  const stranger = await makeAccount(t.services);
  for (let number = 0; number < 2; number++) {
    const theirs = await makePin(t.sql, { accountId: stranger.accountId });
    expect(await guess(t.ctxFor(stranger.actor('unified')), theirs, theirs.code)).toEqual({ code: 'verified' });
  }
});

describe('a right code after a right one', () => {
  test('is verified, with an entry of the log and without a budget', async () => {
    const target = await pin();
    expect(await guess(ctx(), target, target.code)).toEqual({ code: 'verified' });
    expect(await storedPin(t.sql, target.pinId)).toEqual({ status: 'verified', attempts: 1, log: { otp_verified: 1 } });
    expect(await budgetRows()).toBe(0);
  });

  test('is verified without a budget where the account has a limit, too', async () => {
    const target = await pin();
    expect(await guess(ctx({ wrongCodesPerAccount: 60 }), target, target.code)).toEqual({ code: 'verified' });
    expect(await budgetRows()).toBe(0);
  });

  test('leaves the pin as it was that stands for unknown ones', async () => {
    const before = await t.sql('select * from otps where id = $1', [DECOY_ID]);
    const target = await pin();
    expect(await guess(ctx(), target, target.code)).toEqual({ code: 'verified' });
    expect(await t.sql('select * from otps where id = $1', [DECOY_ID])).toEqual(before);
  });

  test('is told to webhooks', async () => {
    await makeEndpoint(t, account.accountId, { events: ['otp.verified'] });
    // The first finds out that somebody is told, the second knows it.
    for (let number = 0; number < 2; number++) {
      const target = await pin();
      expect(await guess(ctx(), target, target.code)).toEqual({ code: 'verified' });
      const events = await t.sql<{ event: string; data: string }>(
        'select event, data from webhook_events where account_id = $1 order by id desc limit 1',
        [toUuid(account.accountId)],
      );
      expect(events.map(({ event, data }) => [event, JSON.parse(data)])).toEqual([
        [
          'otp.verified',
          expect.objectContaining({
            pinId: target.pinId,
            status: 'verified',
            errorCode: null,
            attemptsRemaining: null,
          }),
        ],
      ]);
    }
    expect(await budgetRows()).toBe(0);
  });

  test.each<[what: string, make: () => Promise<{ target: Awaited<ReturnType<typeof pin>>; address: string }>]>([
    [
      'recipient',
      async () => {
        const target = await pin();
        await wrongAgo(t.sql, { accountId: account.accountId, recipient: target.recipient }, times(20, 3_600));
        return { target, address: newAddress() };
      },
    ],
    [
      'address',
      async () => {
        const address = newAddress();
        await wrongAgo(
          t.sql,
          { accountId: account.accountId, address },
          times(account.grant.otp.wrongCodesPerAddress, 60),
        );
        return { target: await pin(), address };
      },
    ],
    [
      'account',
      async () => {
        await wrongAgo(t.sql, { accountId: account.accountId, isOfAccount: true }, times(60, 30));
        return { target: await pin(), address: newAddress() };
      },
    ],
  ])('finds no room in the budget of its %s', async (_what, make) => {
    const { target, address } = await make();
    expect(await guess(ctx({ wrongCodesPerAccount: 60 }), target, target.code, address)).toMatchObject({
      code: 'rate_limited',
    });
    expect(await storedPin(t.sql, target.pinId)).toEqual({ status: 'sent', attempts: 0, log: { otp_blocked: 1 } });
  });

  test.each<[what: string, change: string, code: Told['code']]>([
    ['over', `expires_at = clock_timestamp()`, 'otp_expired'],
    ['cancelled', `status = 'cancelled'`, 'otp_expired'],
    ['blocked', `status = 'blocked', attempts = 5`, 'otp_blocked'],
    ['verified', `status = 'verified'`, 'otp_already_verified'],
    ['out of attempts', 'attempts = attempts_max', 'otp_blocked'],
    ['of another area', `area = 'otp'`, 'otp_not_found'],
    ['without a key', `key_id = 'gone'`, 'otp_expired'],
  ])('of a pin that is %s is refused', async (_what, change, code) => {
    const target = await pin();
    await t.sql(`update otps set ${change} where id = $1`, [toUuid(target.pinId)]);
    expect(await guess(ctx(), target, target.code)).toMatchObject({ code });
  });

  test('of another account is nobody’s', async () => {
    const stranger = await makeAccount(t.services);
    const theirs = await makePin(t.sql, { accountId: stranger.accountId });
    expect(await guess(ctx(), theirs, theirs.code)).toMatchObject({ code: 'otp_not_found' });
    expect(await storedPin(t.sql, theirs.pinId)).toEqual({ status: 'sent', attempts: 0, log: {} });
  });
});

describe('a group of guesses after a right one', () => {
  test('in which one is wrong has it counted, and the right ones verified', async () => {
    const [wrong, ...right] = await Promise.all([pin(), pin(), pin()]);
    if (!wrong) throw new Error('no pin');
    const answers = await Promise.all([
      guess(ctx(), wrong, wrongCode(wrong)),
      ...right.map(target => guess(ctx(), target, target.code)),
    ]);
    expect(answers).toEqual([
      { code: 'otp_incorrect', attemptsRemaining: 4 },
      { code: 'verified' },
      { code: 'verified' },
    ]);
    expect(await budgetRows()).toBe(1);
  });

  test('has one right code of a pin verified, and no other', async () => {
    const target = await pin();
    const answers = await Promise.all([1, 2, 3].map(() => guess(ctx(), target, target.code)));
    expect(answers.map(({ code }) => code).toSorted()).toEqual([
      'otp_already_verified',
      'otp_already_verified',
      'verified',
    ]);
    expect(await storedPin(t.sql, target.pinId)).toMatchObject({ status: 'verified', attempts: 1 });
  });

  test('of the sandbox’s number needs no room of a recipient', async () => {
    const target = await pin({ recipient: '12025550100' });
    expect(await guess(ctx(), target, target.code)).toEqual({ code: 'verified' });
    expect(await budgetRows()).toBe(0);
  });
});
