import { expect, test } from 'vitest';
import type { Database } from '../../../src/db/orm.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { addNote } from '../../../src/modules/conversations/manage-notes.ts';
import { receiveInbound } from '../../../src/modules/inbound/receive-inbound.ts';
import { eraseRecipient } from '../../../src/modules/recipients/erase-recipient.ts';
import { openSuppressed } from '../../../src/modules/suppressions/suppressed-table.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { LOCK_WAITS } from '../../support/databases/lock-order.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { createTestCtx, OPERATOR, TEST_KEYS } from '../../support/services.ts';

const t = setUpServices();
const account = setUpAccount(t);

const operator = () => createTestCtx(t.services, OPERATOR);
const erase = (to: string) => eraseRecipient(operator(), { to, accountId: account.accountId });

/** Takes a text to the account, by a database that may be another one. */
const write = (from: string, text: string, database: Database = t.database) => {
  const bringer = { id: null, accountId: account.accountId, providerId: 'sandbox', channel: 'sms' } as const;
  const message = { providerMessageId: null, from, to: 'ACME', type: 'text', text };
  return receiveInbound(createTestCtx({ ...t.services, database }, OPERATOR), bringer, [message]);
};

/** The database, which does something else before the first statement of a transaction that matches. */
function interrupted(pattern: RegExp, run: () => Promise<unknown>): Database {
  let isDone = false;
  const transaction: Database['prepared']['transaction'] = (work, by) =>
    t.database.prepared.transaction(
      sql =>
        work({
          async executeQuery(query) {
            if (!isDone && pattern.test(query.sql)) {
              isDone = true;
              await run();
            }
            return await sql.executeQuery(query);
          },
        }),
      by,
    );
  return { ...t.database, prepared: { ...t.database.prepared, transaction } };
}

const listOf = () =>
  t.sql<{ person: string; origin: string }>('select person, origin from suppressions where account_id = $1', [
    toUuid(account.accountId),
  ]);

/** Whether a process that starts now finds somebody on the list. */
async function isStoppedAnew(phone: string): Promise<boolean> {
  const table = await openSuppressed(t.database, TEST_KEYS, error => {
    throw error;
  });
  await table.close();
  return table.has(account.accountId, phone.replace('+', ''));
}

describePostgres('a STOP that comes while its writer is erased', () => {
  test('holds where the erasure ends before the word is heeded', async () => {
    const phone = newPhone();
    await write(phone, 'Hello');
    await write(
      phone,
      'STOP',
      interrupted(/as strangers/, () => erase(phone)),
    );
    expect(await listOf()).toEqual([{ person: phone.replace('+', ''), origin: 'recipient' }]);
    await expect(isStoppedAnew(phone)).resolves.toBe(true);
  });

  test('holds where it is taken before the erasure can go on', async () => {
    const phone = newPhone();
    await write(phone, 'Hello');
    let erasing: ReturnType<typeof erase> | undefined;
    await write(
      phone,
      'STOP',
      // Its person is locked by then, and the stop is not on the list yet.
      interrupted(/with made as materialized/, async () => {
        erasing = erase(phone);
        erasing.catch(() => undefined);
        await expect.poll(() => t.sql(LOCK_WAITS)).not.toEqual([]);
      }),
    );
    await expect(erasing).resolves.toMatchObject({ isSuppressed: true });
    expect(await listOf()).toEqual([{ person: expect.stringMatching(/^erased:/), origin: 'recipient' }]);
    await expect(isStoppedAnew(phone)).resolves.toBe(true);
  });
});

test('a person who is erased, and noted about, starts again by START', async () => {
  const phone = newPhone();
  await write(phone, 'STOP');
  await erase(phone);
  await addNote(createTestCtx(t.services, account.operator), { to: phone, text: 'Called us.' });
  await expect.poll(() => t.services.suppressed.has(account.accountId, phone.replace('+', ''))).toBe(true);
  await write(phone, 'START');
  expect(await listOf()).toEqual([]);
  expect(t.services.suppressed.has(account.accountId, phone.replace('+', ''))).toBe(false);
});
