/** The spending of an account by day, where holds of one day end on another. */
import { expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { setUpMoney } from '../../support/billing/money-fixture.ts';
import { REFUSED } from '../../support/messaging/scripted-sends.ts';

const { account, answerWith, holdAnswer, send, t } = setUpMoney();

/** The day that the spending counts to, as days from today, and its amount. */
async function spending(): Promise<{ day: number; spent: number } | undefined> {
  const [row] = await t.sql<{ day: number; spent: number }>(
    `select spend_day - (now() at time zone 'UTC')::date as day, spent from accounts where id = $1`,
    [toUuid(account.accountId)],
  );
  return row;
}

/** Moves what was spent and what is held to another day, as if that had been today. */
async function moveBy(days: number): Promise<void> {
  const id = toUuid(account.accountId);
  await t.sql('update accounts set spend_day = spend_day + $2::int where id = $1', [id, days]);
  await t.sql('update messages set held_on = held_on + $2::int where account_id = $1', [id, days]);
}

/** Spends a credit, and lets the hold of another one end on the day before it began, or after it. */
async function releaseAfter(days: number): Promise<void> {
  await send();
  const provider = holdAnswer();
  const sending = send();
  await provider.called;
  await moveBy(-days);
  provider.answer(REFUSED);
  await sending;
}

test('a hold that ends a day later is taken back from its own day, and begins no new one', async () => {
  await releaseAfter(1);
  expect(await spending()).toEqual({ day: -1, spent: 1 });
});

test('the first send of a day counts alone', async () => {
  await send();
  await send();
  await moveBy(-1);
  await send();
  expect(await spending()).toEqual({ day: 0, spent: 1 });
});

test('a hold that ends a day before it began, by a clock that was set back, is taken back from its own day', async () => {
  await releaseAfter(-1);
  expect(await spending()).toEqual({ day: 1, spent: 1 });
});

test('a send on a day before the last one, by a clock that was set back, leaves what that day has spent', async () => {
  await send();
  await moveBy(1);
  await send();
  answerWith(() => REFUSED);
  await send();
  expect(await spending()).toEqual({ day: 1, spent: 1 });
});
