/** Probe. */
import { describe, expect, test } from 'vitest';
import { toUuid, newId } from '../../src/kernel/ids.ts';
import { runSql } from '../../src/db/sql.ts';
import { adjustBalance } from '../../src/modules/billing/adjust-balance.ts';
import { updateAccount } from '../../src/modules/accounts/manage-accounts.ts';
import { listLedger } from '../../src/modules/billing/list-ledger.ts';
import { account, answerWith, asked, holdAnswer, money, REFUSED, send, setUpMoney, startWith, t, sendCode } from '../support/money-sends.ts';
import { openTestDatabase, OPERATOR } from '../support/services.ts';

setUpMoney();

test('overflow: a release after the balance was filled up', async () => {
  const provider = holdAnswer();
  const sending = send();
  sending.catch(() => undefined);
  await provider.called;
  for (const credits of [1_000_000_000, 1_000_000_000, 147_483_647 - 9])
    await adjustBalance(t.ctxFor(OPERATOR), { accountId: account.accountId, credits, reason: 'x' });
  provider.answer(REFUSED);
  const message = await sending;
  expect(message.status).toBe('failed');
  await money();
});

test('a reference that is purged while its repeat waits is no free SMS', async () => {
  if (t.testDatabase.kind !== 'postgres') return;
  await startWith(1);
  await t.sql(`insert into idempotency_keys (account_id, area, reference, fingerprint, message_id, expires_at)
    values ($1, 'unified', 'r', 'x', gen_random_uuid(), now() + interval '1 day')`, [toUuid(account.accountId)]);
  const other = await openTestDatabase(t.testDatabase);
  let sending: Promise<unknown> = Promise.resolve();
  await other.fork().transactional(async em => {
    await runSql(em.getKysely(), 'select 1 from accounts where id = $1 for update', [toUuid(account.accountId)]);
    sending = send({ reference: 'r' }).then(m => m, e => e);
    await new Promise(r => setTimeout(r, 500));
    await runSql(other.sql(), `delete from idempotency_keys where account_id = $1`, [toUuid(account.accountId)]);
  });
  const r = await sending;
  console.log('free sms probe', JSON.stringify(r), asked.length);
  await other.close();
  await money();
});

test.each(['0000-01-01T00:00:00Z', '-000001-01-01T00:00:00Z', '9999-12-31T00:00:00Z', '+275760-09-13T00:00:00.000Z'])('times %s', async at => {
  const date = new Date(at);
  const r1 = await updateAccount(t.ctxFor(OPERATOR), { accountId: account.accountId, planExpiresAt: date }).then(() => 'ok', e => String(e));
  const r2 = await listLedger(t.ctxFor(account.actor('unified')), { filter: { from: date, to: date } } as never).then(() => 'ok', e => String(e));
  console.log(at, r1, r2);
});
