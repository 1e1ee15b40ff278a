import { describe, expect, test } from 'vitest';
import { fromUuid, idTime, newId, toUuid } from '../../../src/kernel/ids.ts';
import { resendOtp } from '../../../src/modules/otp/send/resend-otp.ts';
import { acceptedOutcome } from '../../support/app.ts';
import { adjust } from '../../support/billing/money-audit.ts';
import { setUpMoney, textOf } from '../../support/billing/money-fixture.ts';
import { REFUSED, UNKNOWN } from '../../support/messaging/scripted-sends.ts';
import { makePin } from '../../support/otp/pins.ts';
import { refusal } from '../../support/refusal.ts';

const { account, answerWith, holdAnswer, money, reportAll, send, sendBoth, sendCode, startWith, t, takeOver } =
  setUpMoney();

/** Sends what nobody accepts, and answers the provider's id, by which receipts tell of it all the same. */
async function sendInVain(outcome: typeof REFUSED, segments = 1): Promise<string> {
  answerWith(() => outcome);
  const { id } = await send({ text: textOf(segments) });
  const providerMessageId = newId('sbx');
  await t.sql('update attempts set provider_message_id = $2 where message_id = $1', [toUuid(id), providerMessageId]);
  return providerMessageId;
}

/** The credits that the attempt of a provider's id says it costs. */
async function creditsOf(providerMessageId: string): Promise<number | undefined> {
  const [row] = await t.sql<{ credits: number }>('select credits from attempts where provider_message_id = $1', [
    providerMessageId,
  ]);
  return row?.credits;
}

describe.each([
  ['unknown', UNKNOWN],
  ['failed', REFUSED],
] as const)('a late receipt of an SMS that is %s', (_status, outcome) => {
  test('charges it: it was accepted after all', async () => {
    const id = await sendInVain(outcome, 3);
    await reportAll([id]);
    expect(await money()).toEqual({ credits: 7, held: 0, spent: 3 });
    expect(await creditsOf(id)).toBe(3);
  });

  test('charges it at the time that the id of the entry has', async () => {
    const ids = [await sendInVain(outcome), await sendInVain(outcome), await sendInVain(outcome)];
    await reportAll(ids);
    const rows = await t.sql<{ id: string; at: Date | string }>(
      `select id, created_at as at from ledger where account_id = $1 and kind = 'charge'`,
      [toUuid(account.accountId)],
    );
    expect(rows).toHaveLength(ids.length);
    for (const { id, at } of rows) expect(idTime(fromUuid('led', id))).toEqual(new Date(at));
  });

  test('charges it once, though it comes again', async () => {
    const id = await sendInVain(outcome);
    await reportAll([id]);
    await reportAll([id]);
    expect(await money()).toEqual({ credits: 9, held: 0, spent: 1 });
  });

  test('charges it once, though it comes ten times at the same time', async () => {
    const id = await sendInVain(outcome);
    await reportAll(Array.from({ length: 10 }, () => id));
    expect(await money()).toEqual({ credits: 9, held: 0, spent: 1 });
  });

  test('charges what is there, and no more', async () => {
    await startWith(3);
    const id = await sendInVain(outcome, 3);
    await adjust(t.sql, account.accountId, -2);
    await reportAll([id]);
    expect(await money()).toEqual({ credits: 0, held: 0, spent: 1 });
    expect(await creditsOf(id)).toBe(1);
  });

  test('charges nothing where nothing is left, and nothing later either', async () => {
    await startWith(1);
    const id = await sendInVain(outcome);
    await adjust(t.sql, account.accountId, -1);
    await reportAll([id]);
    await adjust(t.sql, account.accountId, 5);
    await reportAll([id]);
    expect(await money()).toEqual({ credits: 5, held: 0, spent: 0 });
  });

  test('that says it failed charges nothing', async () => {
    await reportAll([await sendInVain(outcome)], 'failed');
    expect(await money()).toEqual({ credits: 10, held: 0, spent: 0 });
  });

  test('charges nothing for a chat', async () => {
    answerWith(() => outcome);
    const { id } = await send({ channels: ['chat_qr'], chatFrom: '15550000001' });
    const chat = newId('sbx');
    await t.sql('update attempts set provider_message_id = $2 where message_id = $1', [toUuid(id), chat]);
    await reportAll([chat]);
    expect(await t.sql(`select kind from ledger where account_id = $1`, [toUuid(account.accountId)])).toEqual([
      { kind: 'adjustment' },
    ]);
  });

  test('charges each of several what is left for it', async () => {
    await startWith(3);
    const ids = [await sendInVain(outcome, 2), await sendInVain(outcome, 2)];
    await reportAll(ids);
    expect(await money()).toEqual({ credits: 0, held: 0, spent: 3 });
  });
});

describe('an SMS that was captured', () => {
  test('is not charged by its receipt', async () => {
    const { attempts } = await send();
    await reportAll([attempts?.[0]?.providerMessageId]);
    expect(await money()).toEqual({ credits: 9, held: 0, spent: 1 });
  });

  test('stays paid where it is not delivered', async () => {
    const { attempts } = await send();
    await reportAll([attempts?.[0]?.providerMessageId], 'failed');
    expect(await money()).toEqual({ credits: 9, held: 0, spent: 1 });
  });

  test('is not charged where it is delivered after it had failed', async () => {
    const { attempts } = await send();
    await reportAll([attempts?.[0]?.providerMessageId], 'failed');
    await reportAll([attempts?.[0]?.providerMessageId]);
    expect(await money()).toEqual({ credits: 9, held: 0, spent: 1 });
  });
});

describe('a process that was overtaken', () => {
  /** Has a send overtaken while its provider works, which answers then. */
  async function overtake(sending: () => Promise<unknown>, answer: typeof REFUSED): Promise<void> {
    const provider = holdAnswer();
    const slow = sending().catch(() => null);
    await provider.called;
    await takeOver();
    provider.answer(answer);
    await slow;
  }

  test('charges what its provider took', async () => {
    await overtake(send, acceptedOutcome());
    expect(await money()).toEqual({ credits: 9, held: 0, spent: 1 });
  });

  test('charges it once, though a receipt comes at the same time', async () => {
    const answer = acceptedOutcome();
    const id = answer.kind === 'accepted' ? answer.providerMessageId : '';
    await Promise.all([overtake(send, answer), reportAll([id]), reportAll([id])]);
    await reportAll([id, id]);
    expect(await money()).toEqual({ credits: 9, held: 0, spent: 1 });
  });

  test.each([
    ['refused', REFUSED],
    ['lost', UNKNOWN],
  ] as const)('charges nothing that was %s', async (_title, answer) => {
    await overtake(send, answer);
    expect(await money()).toEqual({ credits: 10, held: 0, spent: 0 });
  });

  test('charges an OTP too', async () => {
    await overtake(sendCode, acceptedOutcome());
    expect(await money()).toEqual({ credits: 9, held: 0, spent: 1 });
  });

  test('charges an OTP that it sent again too', async () => {
    const { pinId } = await makePin(t.sql, { accountId: account.accountId });
    await overtake(() => resendOtp(t.ctxFor(account.actor('unified')), { pinId }), acceptedOutcome());
    expect(await money()).toEqual({ credits: 9, held: 0, spent: 1 });
  });

  test('charges what is there: the credits may be gone', async () => {
    await startWith(1);
    const provider = holdAnswer();
    const slow = send().catch(() => null);
    await provider.called;
    await takeOver();
    await adjust(t.sql, account.accountId, -1);
    provider.answer(acceptedOutcome());
    await slow;
    expect(await money()).toEqual({ credits: 0, held: 0, spent: 0 });
  });
});

describe('the daily spend cap', () => {
  const setCap = (cap: number | null) =>
    t.sql('update accounts set daily_spend_cap = $2 where id = $1', [toUuid(account.accountId), cap]);

  test('refuses what goes beyond it, until the day is over in UTC', async () => {
    await setCap(2);
    await send({ text: textOf(2) });
    const error = await send().catch((reason: unknown) => reason);
    const midnight = new Date(t.clock.now()).setUTCHours(24, 0, 0, 0);
    const left = Math.ceil((midnight - t.clock.now().getTime()) / 1_000);
    expect(error).toMatchObject({ code: 'insufficient_balance', details: { retryAfter: expect.any(Number) } });
    const { retryAfter } = (error as { details: { retryAfter: number } }).details;
    // The clock of the test stands still since it began.
    expect(left - retryAfter).toBeLessThan(300);
    expect(retryAfter).toBeLessThanOrEqual(left + 1);
  });

  test('of nothing refuses everything', async () => {
    await setCap(0);
    await expect(send()).rejects.toEqual(refusal('insufficient_balance'));
  });

  test('lets through what just fits', async () => {
    await setCap(3);
    await send({ text: textOf(3) });
    expect(await money()).toEqual({ credits: 7, held: 0, spent: 3 });
  });

  test('counts what is held', async () => {
    await setCap(1);
    const provider = holdAnswer();
    const sending = send();
    await provider.called;
    await expect(send()).rejects.toEqual(refusal('insufficient_balance'));
    provider.answer(acceptedOutcome());
    await sending;
  });

  test('does not count what was released', async () => {
    await setCap(1);
    answerWith(() => REFUSED);
    await send();
    answerWith(acceptedOutcome);
    await expect(send()).resolves.toMatchObject({ status: 'sent' });
  });

  test('does not count what was spent on another day', async () => {
    await setCap(1);
    await send();
    await t.sql('update accounts set spend_day = spend_day - 1 where id = $1', [toUuid(account.accountId)]);
    await expect(send()).resolves.toMatchObject({ status: 'sent' });
  });

  test('does not count credits that were given', async () => {
    await setCap(1);
    await adjust(t.sql, account.accountId, 5);
    await adjust(t.sql, account.accountId, -5);
    await expect(send()).resolves.toMatchObject({ status: 'sent' });
  });

  test('of another account changes nothing', async () => {
    await setCap(0);
    await startWith(1);
    await expect(send()).resolves.toMatchObject({ status: 'sent' });
  });

  test('lets a message go on by chat', async () => {
    await setCap(0);
    const message = await sendBoth('fallback', ['sms', 'chat_qr']);
    expect(message.attempts?.map(({ errorCode }) => errorCode)).toEqual(['insufficient_balance', null]);
  });

  test('holds for OTPs', async () => {
    await setCap(0);
    await expect(sendCode()).rejects.toEqual(refusal('insufficient_balance'));
  });

  test('counts a late charge, which it does not keep out', async () => {
    await setCap(1);
    const id = await sendInVain(UNKNOWN);
    await setCap(0);
    await reportAll([id]);
    expect(await money()).toEqual({ credits: 9, held: 0, spent: 1 });
  });

  test('is kept to by many sends at once', async () => {
    await setCap(4);
    const sent = await Promise.allSettled(Array.from({ length: 20 }, () => send()));
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  });
});
