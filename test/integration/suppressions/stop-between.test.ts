import { expect, onTestFinished, test } from 'vitest';
import type { SendOutcome } from '../../../src/channels/outcome.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { receiveInbound } from '../../../src/modules/inbound/receive-inbound.ts';
import { openSuppressed } from '../../../src/modules/suppressions/suppressed-table.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { LOCK_WAITS } from '../../support/databases/lock-order.ts';
import { setUpScriptedSends } from '../../support/messaging/scripted-sends.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { createTestCtx, OPERATOR, openTestDatabase, TEST_KEYS } from '../../support/services.ts';

describePostgres('a stop that another process takes between the accept of a send and its hand-over', () => {
  const { t, account, send, asked, holdAnswer } = setUpScriptedSends();

  /** Takes a stop by another process, and waits until this one has heard of it. */
  async function stop(phone: string): Promise<void> {
    const database = await openTestDatabase(t.testDatabase);
    const suppressed = await openSuppressed(database, TEST_KEYS, error => {
      throw error;
    });
    onTestFinished(async () => {
      await suppressed.close();
      await database.close();
    });
    const other = createTestCtx({ ...t.services, database, suppressed }, OPERATOR);
    const bringer = { id: null, accountId: account.accountId, providerId: 'sandbox', channel: 'sms' } as const;
    const message = { providerMessageId: null, from: phone, to: 'ACME', type: 'text', text: 'STOP' };
    await receiveInbound(other, bringer, [message]);
    const person = phone.replace('+', '');
    await expect.poll(() => t.services.suppressed.has(account.accountId, person)).toBe(true);
  }

  const stored = () =>
    t.sql(
      `select m.status, a.status as attempt, a.error_code as code, a.credits, w.credits as left, w.held
       from messages m join attempts a on a.message_id = m.id join accounts w on w.id = m.account_id where m.account_id = $1`,
      [toUuid(account.accountId)],
    );

  const REFUSED = {
    status: 'failed',
    attempt: 'failed',
    code: 'recipient_suppressed',
    credits: 0,
    left: 1_000_000,
    held: 0,
  };

  const failed = { status: 'failed', attempts: [{ errorCode: 'recipient_suppressed', credits: 0 }] };

  test('ends it before the provider is asked: nothing is sent, held or charged', async () => {
    const to = newPhone();
    let sending: ReturnType<typeof send> | null = null;
    // The accept waits for the balance, with a look at the list behind it that found nobody.
    await t.database.fork().transactional(async em => {
      await em.execute('select from accounts where id = ? for no key update', [toUuid(account.accountId)]);
      sending = send({ to });
      sending.catch(() => undefined);
      await expect.poll(() => t.sql(LOCK_WAITS)).not.toEqual([]);
      await stop(to);
    });
    expect(await sending).toMatchObject(failed);
    expect(asked).toEqual([]);
    expect(await stored()).toEqual([REFUSED]);
  });

  test('ends it before a provider that takes no more for now is asked again', async () => {
    const to = newPhone();
    const held = holdAnswer();
    const sending = send({ to });
    await held.called;
    await stop(to);
    const busy: SendOutcome = { kind: 'throttled', code: 'throttled', message: 'Too many.', retryAfterMs: 1 };
    held.answer(busy);
    expect(await sending).toMatchObject(failed);
    expect(asked).toHaveLength(1);
    expect(await stored()).toEqual([REFUSED]);
  });
});
