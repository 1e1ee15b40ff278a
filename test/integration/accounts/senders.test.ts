import { expect, test } from 'vitest';
import { addSender } from '../../../src/modules/accounts/manage-senders.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { makeAccount } from '../../support/services.ts';

const on = setUpServices();

test('senders that are added at once: the same name is one sender, and one of a channel is its default', async () => {
  const { accountId } = await makeAccount(on.services, { senders: [] });
  const added = await Promise.all(
    ['ACME', 'ACME', 'ACME', 'NEWS', 'NEWS', 'SHOP'].map(name =>
      addSender(on.ctxFor({ kind: 'operator', account: null }), { accountId, name }),
    ),
  );
  expect(new Set(added.map(sender => sender.id)).size).toBe(3);
  expect(new Set(added.filter(sender => sender.isDefault).map(sender => sender.id)).size).toBe(1);
});
