import { describe, expect, test } from 'vitest';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { Message } from '../../../src/modules/messaging/message.entity.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import type { ChannelAttempt } from '../../../src/modules/routing/attempt.entity.ts';
import { toUnderWay } from '../../../src/modules/routing/under-way.ts';
import { setUpServices, setUpSharedAccount } from '../../support/fixtures.ts';
import { putUnderWay } from '../../support/messaging/put-under-way.ts';
import { newPhone } from '../../support/otp/pins.ts';

const t = setUpServices({ sandbox: { keepArrival: async () => undefined } });
const account = setUpSharedAccount(t);

function send() {
  return sendMessage(t.ctxFor(account.actor('unified')), {
    to: '+12025550100',
    text: 'Hello',
    channels: ['chat_qr', 'chat_cloud', 'sms'],
    chatFrom: '15550000001',
    cloudTemplate: { name: 'hello', language: 'en' },
    sender: 'ACME',
    deliveryMode: 'all',
  });
}

function rows(ids: readonly string[]) {
  return t.sql<{ status: string; channel: string; lease_until: Date | null }>(
    'select distinct status, channel, lease_until from messages where id in (select value::uuid from json_array_elements_text($1::json))',
    [JSON.stringify(ids.map(toUuid))],
  );
}

/** Makes a message one that a recovery has taken, with its attempts as the process before has left them; answers the lease. */
async function takeOver(messageId: string, status: 'sent' | 'unknown'): Promise<string> {
  await t.sql('update attempts set status = $2 where message_id = $1', [toUuid(messageId), status]);
  const [taken] = await t.sql<{ lease: string }>(
    `update messages set status = 'pending', channel = null, lease_until = now() + interval '30 seconds' where id = $1
     returning lease_until::text as lease`,
    [toUuid(messageId)],
  );
  return taken?.lease ?? '';
}

describe('settling', () => {
  test('ends a message whose attempts all end in one group', async () => {
    const messages = await Promise.all(Array.from({ length: 20 }, send));
    await expect(rows(messages.map(message => message.id))).resolves.toEqual([
      { status: 'sent', channel: 'chat_qr', lease_until: null },
    ]);
  });

  test.each([
    ['taken', '+12025550100', 'sent'],
    ['refused', '+12025550101', 'failed'],
  ])('leaves nothing held or under way in an SMS that is %s', async (_what, to, status) => {
    const input = { to, text: 'Hello', channels: ['sms' as const], sender: 'ACME' };
    const { id } = await sendMessage(t.ctxFor(account.actor('unified')), input);
    const [row] = await t.sql('select status, held, under_way, lease_until from messages where id = $1', [toUuid(id)]);
    expect(row).toEqual({ status, held: 0, under_way: null, lease_until: null });
  });

  test('stores no answer with a reference that another message has taken over', async () => {
    const input = {
      to: newPhone(),
      text: 'Hello',
      channels: ['sms' as const],
      sender: 'ACME',
      reference: newId('key'),
    };
    const message = await sendMessage(t.ctxFor(account.actor('unified')), input);
    const other = await send();
    await t.sql('update idempotency_keys set message_id = $1, answer = null where reference = $2', [
      ...[toUuid(other.id), input.reference],
    ]);
    const lease = await putUnderWay(t.sql, message.id, 'held');
    const settled = (message.attempts ?? []).map(attempt => ({ ...attempt, id: newId('att') }));
    const outcome = { status: 'sent', channel: 'sms', kept: { reference: input.reference, answer: {} } } as const;
    await MESSAGE.settle(t.database)({ send: message, lease, settled, next: null, outcome });
    const stored = await t.sql('select answer from idempotency_keys where reference = $1', [input.reference]);
    expect(stored).toEqual([{ answer: null }]);
  });

  test('tells apart the lease that was lost and the one that took the message over, in one group', async () => {
    const message = await send();
    const taken = await takeOver(message.id, 'unknown');
    const item = { send: Object.assign(new Message(), message), settled: [], next: null };
    const end = { status: 'unknown', channel: null, kept: null } as const;
    const results = await Promise.all([
      MESSAGE.settle(t.database)({ ...item, lease: '2026-01-01 00:00:00+00', outcome: { ...end, status: 'failed' } }),
      MESSAGE.settle(t.database)({ ...item, lease: taken, outcome: end }),
    ]);
    expect(results).toEqual([null, { lease: taken, shortage: null }]);
    await expect(rows([message.id])).resolves.toEqual([{ status: 'unknown', channel: null, lease_until: null }]);
  });

  describe('in one group with a step whose lease was lost', () => {
    const LOST = '2026-01-01 00:00:00+00';

    async function smsUnderWay() {
      const input = { to: newPhone(), text: 'Hello', channels: ['sms' as const], sender: 'ACME' };
      const message = await sendMessage(t.ctxFor(account.actor('unified')), input);
      const [attempt] = message.attempts ?? [];
      if (!attempt) throw new Error('it has no attempt');
      const lease = await putUnderWay(t.sql, message.id, 'held');
      // The first attempt is paid already.
      return { send: Object.assign(new Message(), message), attempt: { ...attempt, id: newId('att') }, lease };
    }

    test.each([null, { reference: 'a reference', answer: {} }])('stores nothing of that one, kept: %j', async kept => {
      const { send, attempt, lease } = await smsUnderWay();
      const lost = { ...attempt, status: 'unknown' as const, credits: 0 };
      const step = { send, next: null };
      const settle = MESSAGE.settle(t.database);
      const results = await Promise.all([
        settle({ ...step, lease: LOST, settled: [lost], outcome: { status: 'unknown', channel: null, kept } }),
        settle({ ...step, lease, settled: [attempt], outcome: { status: 'sent', channel: 'sms', kept } }),
      ]);
      expect(results).toEqual([null, { lease, shortage: null }]);
      const stored = await t.sql('select status from attempts where message_id = $1', [toUuid(send.id)]);
      expect(stored).toEqual([{ status: 'sent' }]);
    });

    test('ends as usual, though the other one ended as usual too', async () => {
      const { send, attempt, lease } = await smsUnderWay();
      const chat = { ...attempt, id: newId('att'), channel: 'chat_qr' as const, credits: 0 };
      const step = { send, next: null };
      const settle = MESSAGE.settle(t.database);
      const results = await Promise.all([
        settle({ ...step, lease: LOST, settled: [chat], outcome: { status: 'sent', channel: 'chat_qr', kept: null } }),
        settle({ ...step, lease, settled: [attempt], outcome: { status: 'sent', channel: 'sms', kept: null } }),
      ]);
      expect(results).toEqual([null, { lease, shortage: null }]);
      const stored = await t.sql('select channel from attempts where message_id = $1', [toUuid(send.id)]);
      expect(stored).toEqual([{ channel: 'sms' }]);
    });

    test('holds once what follows', async () => {
      const { send, attempt, lease } = await smsUnderWay();
      // As if its first channel had been another one.
      await t.sql('update accounts set held = held - 1, credits = credits + 1 where id = $1', [toUuid(send.accountId)]);
      await t.sql('update messages set held = 0 where id = $1', [toUuid(send.id)]);
      const step = { send, settled: [], outcome: null };
      const settle = MESSAGE.settle(t.database);
      const [before] = await heldCredits();
      const follows = (next: ChannelAttempt) => ({ next });
      await Promise.all([
        settle({ ...step, lease: LOST, ...follows({ ...attempt, id: newId('att') }) }),
        settle({ ...step, lease, ...follows(attempt) }),
      ]);
      const [after] = await heldCredits();
      expect({ account: (after?.account ?? 0) - (before?.account ?? 0), sends: after?.sends }).toEqual({
        account: 1,
        sends: (before?.sends ?? 0) + 1,
      });
    });

    const heldCredits = () =>
      t.sql<{ account: number; sends: number }>(
        `select held as account, (select coalesce(sum(held), 0)::int from messages where account_id = a.id) as sends
         from accounts a where id = $1`,
        [toUuid(account.accountId)],
      );
  });

  test('goes by what turned out meanwhile: that a provider took what was given up', async () => {
    const message = await send();
    const lease = await takeOver(message.id, 'sent');
    const outcome = { status: 'unknown', channel: null, kept: null } as const;
    await MESSAGE.settle(t.database)({ send: message, lease, settled: [], next: null, outcome });
    await expect(rows([message.id])).resolves.toEqual([{ status: 'sent', channel: 'chat_qr', lease_until: null }]);
  });

  test.each([
    ['failed', 'failed', 'failed'],
    ['unknown', 'failed', 'unknown'],
    ['failed', 'unknown', 'unknown'],
  ] as const)(
    'of a first attempt that is %s by now and a last one that is %s makes %s',
    async (first, last, status) => {
      const message = await send();
      const lease = await takeOver(message.id, 'unknown');
      await t.sql('update attempts set status = $2 where message_id = $1', [toUuid(message.id), first]);
      const [made] = message.attempts ?? [];
      const settled = made ? [{ ...made, id: newId('att'), status: last, providerMessageId: null, credits: 0 }] : [];
      // The belief of the process itself: it heard nothing of the first attempt.
      const outcome = { status: 'unknown', channel: null, kept: null } as const;
      await MESSAGE.settle(t.database)({ send: message, lease, settled, next: null, outcome });
      await expect(rows([message.id])).resolves.toEqual([{ status, channel: null, lease_until: null }]);
    },
  );

  test('is unknown where the one that was accepted is taken back, and nobody knows of the last one', async () => {
    const message = await send();
    const lease = await takeOver(message.id, 'unknown');
    await t.sql(`update attempts set status = 'failed' where message_id = $1`, [toUuid(message.id)]);
    const [made] = message.attempts ?? [];
    const last = { id: newId('att'), status: 'unknown', providerMessageId: null, credits: 0 } as const;
    const settled = made ? [{ ...made, ...last }] : [];
    const outcome = { status: 'sent', channel: 'chat_qr', kept: null } as const;
    await MESSAGE.settle(t.database)({ send: message, lease, settled, next: null, outcome });
    await expect(rows([message.id])).resolves.toEqual([{ status: 'unknown', channel: null, lease_until: null }]);
  });

  test('renews the lease where an attempt follows, and the former one does not hold any more', async () => {
    const message = await send();
    const [taken] = await t.sql<{ lease: string }>(
      `update messages set status = 'pending', channel = null, lease_until = now() + interval '1 second' where id = $1
       returning lease_until::text as lease`,
      [toUuid(message.id)],
    );
    const [made] = message.attempts ?? [];
    const next = made ? { ...made, id: newId('att'), status: 'pending' as const } : null;
    const step = {
      send: Object.assign(new Message(), message, { deliveryMode: 'fallback' }),
      settled: [],
      outcome: null,
      lease: taken?.lease ?? '',
    };
    const renewed = await MESSAGE.settle(t.database)({ ...step, next });
    expect(Date.parse(`${renewed?.lease}`)).toBeGreaterThan(Date.parse(step.lease) + 10_000);
    await expect(MESSAGE.settle(t.database)({ ...step, next: null })).resolves.toBeNull();
    await expect(MESSAGE.settle(t.database)({ ...step, next: null, lease: renewed?.lease ?? '' })).resolves.toEqual(
      renewed,
    );
  });

  test.each([
    ['as they were made', [0, 1]],
    ['the other way round', [1, 0]],
  ])('steps of attempts that were made at once leave what is under way, stored %s', async (_how, order) => {
    const message = await send();
    const [chat, sms] = message.attempts ?? [];
    if (!chat || !sms) throw new Error('there are two attempts');
    await t.sql('delete from attempts where message_id = $1', [toUuid(message.id)]);
    const begun = [chat, sms].map(attempt => ({ ...attempt, id: newId('att') }));
    const [taken] = await t.sql<{ lease: string }>(
      `update messages set status = 'pending', channel = null, lease_until = now() + interval '30 seconds', under_way = $2 where id = $1
       returning lease_until::text as lease`,
      [toUuid(message.id), toUnderWay(begun)],
    );
    const next = { ...sms, id: newId('att'), status: 'pending' as const };
    const of = { send: Object.assign(new Message(), message), outcome: null, lease: taken?.lease ?? '' };
    const [first, second] = begun;
    if (!first || !second) throw new Error('there are two');
    const steps = [
      { ...of, settled: [{ ...first, status: 'failed' as const }], next: null },
      { ...of, settled: [{ ...second, status: 'failed' as const }], next },
    ];
    for (const index of order) {
      const step = steps[index];
      if (step) await MESSAGE.settle(t.database)(step);
    }
    const [row] = await t.sql<{ under_way: string }>('select under_way from messages where id = $1', [
      toUuid(message.id),
    ]);
    expect(JSON.parse(row?.under_way ?? '[]')).toEqual(JSON.parse(toUnderWay([next])));
  });
});
