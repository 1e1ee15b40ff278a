import { expect, test } from 'vitest';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { createAlertRule, deleteAlertRule } from '../../../src/modules/alerts/manage-alert-rules.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { makeAccount } from '../../support/services.ts';

const t = setUpServices();

test('a person whose role was taken away makes and changes no rule, though the session is kept for a second', async () => {
  const account = await makeAccount(t.services);
  const [userId, email] = [newId('usr'), `${newId('usr')}@example.com`];
  await t.sql(
    `insert into dashboard_users (id, account_id, email, role, recovery_codes, created_at) values ($1, $2, $3, 'viewer', '{}', now())`,
    [toUuid(userId), toUuid(account.accountId), email],
  );
  const session = { userId, email, sessionId: newId('ses'), role: 'developer', mustEnrol: false } as const;
  const person = t.ctxFor({ kind: 'user', ...session, account: account.grant });
  const input = { kind: 'balance_low' } as const;
  const { id } = await createAlertRule(t.ctxFor(account.actor('management')), input);
  await expect(createAlertRule(person, input)).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(deleteAlertRule(person, id)).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(await t.sql('select id from alert_rules')).toHaveLength(1);
});
