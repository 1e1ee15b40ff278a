import { expect, test } from 'vitest';
import { accountFigures } from '../../../src/modules/figures/accounts/account-figures.ts';
import { rollUpLog } from '../../../src/modules/figures/roll-up.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { makeAttempt } from '../../support/logs/log-rows.ts';
import { makeAccount, OPERATOR } from '../../support/services.ts';

const on = setUpServices();

const HOUR = 3_600_000;

test('the figures of accounts are what each sent within a day, those without any too', async () => {
  const [busy, quiet] = [await makeAccount(on), await makeAccount(on)];
  const ago = (hours: number): Date => new Date(on.clock.now().getTime() - hours * HOUR);
  const statuses = ['sent', 'delivered', 'failed', 'unknown'] as const;
  const rows = statuses.map(status => makeAttempt(busy.accountId, { status, startedAt: ago(2) }));
  const old = makeAttempt(busy.accountId, { status: 'failed', startedAt: ago(30) });
  await on.database
    .fork()
    .persist([...rows, old])
    .flush();
  await rollUpLog(on.database);
  const figures = await accountFigures(on.ctxFor(OPERATOR));
  const of = (accountId: string) => figures.find(one => one.accountId === accountId);
  expect(of(busy.accountId)).toMatchObject({ attempts: 4, accepted: 2, failed: 1 });
  expect(of(quiet.accountId)).toMatchObject({ attempts: 0, accepted: 0, failed: 0 });
});

test('the figures of accounts are the operator’s', async () => {
  const account = await makeAccount(on);
  await expect(accountFigures(on.ctxFor(account.actor('management')))).rejects.toMatchObject({ code: 'wrong_area' });
});
