/** Money at the edges: balances that are nearly too large, and references that end while they are asked for. */
import { expect, test } from 'vitest';
import { runSql } from '../../../src/db/statements/sql.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { adjustBalance } from '../../../src/modules/billing/adjust-balance.ts';
import { setUpMoney } from '../../support/billing/money-fixture.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { REFUSED } from '../../support/messaging/scripted-sends.ts';
import { refusal } from '../../support/refusal.ts';
import { OPERATOR, openTestDatabase } from '../../support/services.ts';

const { account, asked, holdAnswer, money, send, startWith, t } = setUpMoney();

const give = (credits: number) =>
  adjustBalance(t.ctxFor(OPERATOR), { accountId: account.accountId, credits, reason: 'test' });

test('a hold is released though the balance was filled up meanwhile', async () => {
  const provider = holdAnswer();
  const sending = send();
  await provider.called;
  await give(1_000_000_000);
  await give(999_999_991);
  await expect(give(1)).rejects.toEqual(refusal('invalid_input'));
  provider.answer(REFUSED);
  await sending;
  expect(await money()).toEqual({ credits: 2_000_000_001, held: 0, spent: 0 });
});

test('credits can be taken from a balance that is fuller than it can be filled', async () => {
  const provider = holdAnswer();
  const sending = send();
  await provider.called;
  await give(1_000_000_000);
  await give(999_999_991);
  provider.answer(REFUSED);
  await sending;
  expect(await give(-1)).toMatchObject({ credits: 2_000_000_000 });
});

describePostgres('a reference that is forgotten', () => {
  /** Resolves when a statement waits for a row that another transaction holds. */
  const waiting = () =>
    expect
      .poll(() =>
        t.sql(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
      )
      .toHaveLength(1);

  test('while its repeat waits for the account is no free SMS', async () => {
    await startWith(1);
    const id = toUuid(account.accountId);
    await t.sql(
      `insert into idempotency_keys (account_id, area, reference, fingerprint, message_id, expires_at)
       values ($1, 'unified', 'r', '', gen_random_uuid(), now() + interval '1 day')`,
      [id],
    );
    const other = await openTestDatabase(t.testDatabase);
    const { repeated } = await other.fork().transactional(async em => {
      await runSql(em.getKysely(), 'select 1 from accounts where id = $1 for update', [id]);
      const sending = send({ reference: 'r' });
      // A send that pays waits in the same statement: by itself the repeated one asks for nothing.
      const neighbour = send();
      const refused = expect(sending).rejects.toEqual(refusal('reference_in_flight'));
      await waiting();
      await t.sql('delete from idempotency_keys where account_id = $1', [id]);
      return { repeated: Promise.all([refused, neighbour]) };
    });
    await repeated;
    await other.close();
    expect(asked).toHaveLength(1);
    expect(await money()).toEqual({ credits: 0, held: 0, spent: 1 });
  });
});
