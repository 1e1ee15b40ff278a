import { expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { BALANCES_AFTER } from '../../../src/modules/billing/balance.sql.ts';
import { balancesAfter } from '../../../src/modules/billing/balance-after.ts';
import { bookAdjustment } from '../../../src/modules/billing/book-adjustment.ts';
import { listLedger } from '../../../src/modules/billing/list-ledger.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { makeAccount, type TestAccount } from '../../support/services.ts';

const on = setUpServices();
const account = setUpAccount(on, { credits: 100 });

/** Books credits, in a millisecond of its own: entries of the same one have no order. */
async function book({ accountId }: Pick<TestAccount, 'accountId'>, credits: number): Promise<void> {
  await bookAdjustment(on.database.sql(), { accountId, credits, reason: 'booked' });
  for (const bookedMs = Date.now(); Date.now() === bookedMs; );
}

/** The entries of the account, the newest first. */
const idsOf = async ({ actor }: TestAccount) =>
  (await listLedger(on.ctxFor(actor('sms')), {})).rows.map(({ id }) => id);

const after = (ids: readonly string[]) => balancesAfter(on.ctxFor(account.actor('sms')), ids);

test('the balance after an entry is that of its moment, whatever the account booked and holds since, and others have', async () => {
  const other = await makeAccount(on, { credits: 1_000 });
  await book(account, 5);
  await book(other, 40);
  await book(account, -20);
  await book(other, 60);
  await on.sql('update accounts set credits = credits - 3, held = 3 where id = $1', [toUuid(account.accountId)]);
  const ids = await idsOf(account);
  expect(await after(ids)).toEqual([85, 105, 100]);
  expect(await after([...ids].reverse())).toEqual([100, 105, 85]);
  expect(await after(ids.slice(1, 2))).toEqual([105]);
});

test("the balance after another account's entry is told to nobody else", async () => {
  const other = await makeAccount(on, { credits: 7 });
  await book(account, 5);
  expect(await after(await idsOf(other))).toEqual([null]);
});

test('the balance after an entry is untold where more entries are newer than are summed up', async () => {
  await book(account, 5);
  await book(account, 6);
  const ids = (await idsOf(account)).map(id => toUuid(id));
  const found = await BALANCES_AFTER.run(on.database.sql(), {
    account: toUuid(account.accountId),
    oldest: ids.at(-1) ?? '',
    ids,
    most: 2,
  });
  expect(found.map(({ balance }) => balance).sort()).toEqual([105, 111]);
});
