/** Accounts are locked before sends, whoever changes both: one that held a send while it waited for its account would be waited for. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { Message } from '../../../src/modules/messaging/message.entity.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { recordReceipts } from '../../../src/modules/routing/receipts/record-receipts.ts';
import { healOvertaken } from '../../../src/modules/routing/recovery/heal-overtaken.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { LOCK_WAITS } from '../../support/databases/lock-order.ts';
import { putUnderWay } from '../../support/messaging/put-under-way.ts';
import { newPhone } from '../../support/otp/pins.ts';
import {
  createTestServices,
  makeAccount,
  OPERATOR,
  type TestAccount,
  type TestServices,
} from '../../support/services.ts';

describePostgres('while its account is locked, nobody holds a send', () => {
  let t: TestServices;
  let account: TestAccount;

  beforeAll(async () => {
    t = await createTestServices();
    account = await makeAccount(t.services, { credits: 10 });
  });
  afterAll(() => t.close());

  async function sentMessage() {
    const input = { to: newPhone(), text: 'Hello', channels: ['sms' as const], sender: 'ACME' };
    const message = await sendMessage(t.ctxFor(account.actor('unified')), input);
    const [attempt] = message.attempts ?? [];
    if (!attempt) throw new Error('it has no attempt');
    return { send: Object.assign(new Message(), message), attempt };
  }

  /** Does something to a message while its account is locked, and looks whether the message can be locked meanwhile. */
  async function expectFree(id: string, change: () => Promise<unknown>): Promise<void> {
    let changed: Promise<unknown> = Promise.resolve();
    await t.database.fork().transactional(async em => {
      await em.execute('select from accounts where id = ? for no key update', [toUuid(account.accountId)]);
      changed = change();
      changed.catch(() => undefined);
      await expect.poll(() => t.sql(LOCK_WAITS)).not.toEqual([]);
      await expect(t.sql('select 1 from messages where id = $1 for update nowait', [toUuid(id)])).resolves.toHaveLength(
        1,
      );
    });
    await changed;
  }

  test.each(['sent', 'failed'] as const)('by the end of a routing: %s', async status => {
    const { send, attempt } = await sentMessage();
    const lease = await putUnderWay(t.sql, send.id, 'held');
    const outcome = { status, channel: status === 'sent' ? ('sms' as const) : null, kept: null };
    // The first attempt is paid already.
    const settled = [{ ...attempt, id: newId('att'), status }];
    await expectFree(send.id, () => MESSAGE.settle(t.database)({ send, lease, settled, next: null, outcome }));
  });

  test('by what an overtaken process knows', async () => {
    const { send, attempt } = await sentMessage();
    await expectFree(send.id, () => healOvertaken.messages(t.database)({ send, known: [attempt] }));
  });

  test('by a receipt that may charge it', async () => {
    const { send, attempt } = await sentMessage();
    const { id: attemptId, provider = '', providerMessageId = '' } = attempt;
    await t.sql(`update attempts set status = 'failed' where id = $1`, [toUuid(attemptId)]);
    const receipt = {
      provider: provider ?? '',
      providerMessageId: providerMessageId ?? '',
      attemptId,
      status: 'delivered' as const,
      errorCode: null,
      errorMessage: null,
    };
    await expectFree(send.id, () => recordReceipts(t.ctxFor(OPERATOR), [receipt]));
  });
});
