import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Receipt } from '../../../src/channels/contract.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import type { SendMessageInput } from '../../../src/modules/messaging/send-message.input.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { followSends } from '../../../src/modules/routing/follow-ups/follow-sends.ts';
import { recordReceipts } from '../../../src/modules/routing/receipts/record-receipts.ts';
import { recoverSends } from '../../../src/modules/routing/recovery/recover.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { createFollowUps, type FollowUps } from '../../support/messaging/follow-ups.ts';
import { newPhone } from '../../support/otp/pins.ts';
import {
  createTestServices,
  makeAccount,
  OPERATOR,
  storedMessage,
  type TestAccount,
  type TestServices,
} from '../../support/services.ts';

let t: TestServices;
let account: TestAccount;
let waits: FollowUps;

beforeAll(async () => {
  // Phones that report nothing: here the receipts are the test's.
  t = await createTestServices({ sandbox: { keepArrival: async () => undefined } });
  waits = createFollowUps(t);
});
beforeEach(async () => {
  account = await makeAccount(t.services);
  await waits.listen(account);
});
afterAll(() => t.close());

const input = (more: Partial<SendMessageInput> = {}): SendMessageInput => ({
  to: newPhone(),
  text: 'Your parcel arrives today.',
  channels: ['chat_qr', 'sms'],
  chatFrom: '15550000001',
  sender: 'ACME',
  fallbackAfter: 30,
  ...more,
});

interface Sent {
  readonly id: string;
  readonly providerId: string;
}

async function send(more: Partial<SendMessageInput> = {}, key?: string): Promise<Sent> {
  const message = await sendMessage(t.ctxFor(account.actor('unified'), key), input(more));
  return { id: message.id, providerId: message.attempts?.at(-1)?.providerMessageId ?? '' };
}

const follow = (): Promise<number> => followSends(t.ctxFor(OPERATOR), MESSAGE);

function report(providerMessageId: string, status: Receipt['status']) {
  const errorCode = status === 'failed' ? 'undelivered' : null;
  return recordReceipts(t.ctxFor(OPERATOR), [
    { provider: 'sandbox', providerMessageId, status, errorCode, errorMessage: null },
  ]);
}

const eventsOf = (id: string): Promise<string[]> => waits.eventsOf(id);

describe('a channel that accepted and does not deliver in time', () => {
  test('is waited for: the request is answered as sent, and nothing else is tried', async () => {
    const { id } = await send();
    expect(await follow()).toBe(0);
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent']);
    expect(await storedMessage(t, id)).toMatchObject({ status: 'sent', channel: 'chat_qr' });
    expect(await eventsOf(id)).toEqual(['message.sent']);
  });

  /** The transactions that wrote rows of a send, by table. */
  async function writersOf(id: string): Promise<Record<string, string[]>> {
    const rows = await t.sql<{ name: string; writer: string }>(
      `select 'message' as name, xmin::text as writer from messages where id = $1
       union select 'attempt', xmin::text from attempts where message_id = $1
       union select 'wait', xmin::text from follow_ups where send_id = $1
       union select 'event', xmin::text from webhook_events where send_id = $1
       union select 'ledger', l.xmin::text from ledger l join attempts a on a.id = l.attempt_id where a.message_id = $1`,
      [toUuid(id)],
    );
    return Object.fromEntries(
      Object.entries(Object.groupBy(rows, row => row.name)).map(([name, of = []]) => [name, of.map(row => row.writer)]),
    );
  }

  test('is waited for by a row that the settle writes in its own transaction', async () => {
    const { id } = await send();
    const { attempt, ...others } = await writersOf(id);
    expect(others).toEqual({ message: attempt, wait: attempt, event: attempt });
  });

  test('takes no transaction of a send that asks for no wait: one writes all of its end', async () => {
    const { id } = await send({ channels: ['sms'], chatFrom: null, fallbackAfter: null });
    const writers = new Set(Object.values(await writersOf(id)).flat());
    expect(writers.size).toBe(1);
  });

  test('is waited for as long as the request says, by the clock of the database', async () => {
    const { id } = await send({ fallbackAfter: 45 });
    const [row] = await t.sql<{ seconds: number }>(
      'select extract(epoch from due_at - clock_timestamp())::float8 as seconds from follow_ups where send_id = $1',
      [toUuid(id)],
    );
    expect(row?.seconds).toBeGreaterThan(40);
    expect(row?.seconds).toBeLessThanOrEqual(45);
  });

  test('is followed by the next one, which pays for itself', async () => {
    const { id } = await send();
    await waits.comeDue(id);
    expect(await follow()).toBe(1);
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent', 'sms sent']);
    expect(await storedMessage(t, id)).toMatchObject({ status: 'sent', channel: 'chat_qr' });
    expect(await eventsOf(id)).toEqual(['message.sent', 'sms.sent', 'message.routed']);
    expect(await waits.of(id)).toBeNull();
    expect(await balance()).toEqual({ credits: 999_999, held: 0 });
  });

  test('is followed once, however many look at the same time', async () => {
    const { id } = await send();
    await waits.comeDue(id);
    const taken = await Promise.all(Array.from({ length: 8 }, follow));
    expect(taken.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent', 'sms sent']);
    expect(await follow()).toBe(0);
  });

  test('has its time again where the channel that follows is not the last', async () => {
    const cloudTemplate = { name: 'order', language: 'en' };
    const { id } = await send({ channels: ['chat_qr', 'chat_cloud', 'sms'], cloudTemplate });
    await waits.comeDue(id);
    await follow();
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent', 'chat_cloud sent']);
    expect(await waits.of(id)).toMatchObject({ is_taken: false });
    expect(await eventsOf(id)).toEqual(['message.sent']);
    await waits.comeDue(id);
    await follow();
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent', 'chat_cloud sent', 'sms sent']);
    expect(await eventsOf(id)).toEqual(['message.sent', 'sms.sent', 'message.routed']);
  });

  test('stays what the message is sent by where the one that follows fails', async () => {
    const { id } = await send({ to: '+12025550101' });
    await waits.comeDue(id);
    await follow();
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent', 'sms failed']);
    expect(await storedMessage(t, id)).toMatchObject({ status: 'sent', channel: 'chat_qr' });
    expect(await eventsOf(id)).toEqual(['message.sent', 'sms.failed', 'message.routed']);
    expect(await balance()).toEqual({ credits: 1_000_000, held: 0 });
  });

  test('is followed where the credits do not pay, by an attempt that says so', async () => {
    account = await makeAccount(t.services, { credits: 0 });
    await waits.listen(account);
    const { id } = await send();
    await waits.comeDue(id);
    await follow();
    expect(await storedMessage(t, id)).toMatchObject({
      status: 'sent',
      attempts: [{ status: 'sent' }, { status: 'failed', error_code: 'insufficient_balance' }],
    });
    expect(await waits.of(id)).toBeNull();
  });

  test('is no longer followed where the sender of the next one has left the account', async () => {
    const { id } = await send();
    await t.sql('delete from senders where account_id = $1', [toUuid(account.accountId)]);
    await waits.comeDue(id);
    await follow();
    // The sender is the request's, which was checked when it was accepted.
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent', 'sms sent']);
  });
});

describe('what is not waited for', () => {
  test.each([
    ['a send without fallbackAfter', { fallbackAfter: null }],
    ['a route of one channel', { channels: ['chat_qr'] }],
    ['the mode all', { deliveryMode: 'all' }],
  ] as const)('%s', async (_what, more) => {
    const { id } = await send(more as Partial<SendMessageInput>);
    expect(await waits.of(id)).toBeNull();
    expect(await eventsOf(id)).toContain('message.routed');
  });

  test('the last channel, when those before it failed at once', async () => {
    const { id } = await send({ to: '+12025550103' });
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr failed', 'sms sent']);
    expect(await waits.of(id)).toBeNull();
    expect(await eventsOf(id)).toContain('message.routed');
  });
});

describe('the setting of the account', () => {
  beforeEach(async () => {
    await t.sql(`update accounts set fallback_after = 60, success_status = 'read' where id = $1`, [
      toUuid(account.accountId),
    ]);
    const { grant } = account;
    const actor = { ...account.actor('unified'), account: { ...grant, fallbackAfter: 60, successStatus: 'read' } };
    account = { ...account, actor: () => actor as ReturnType<TestAccount['actor']> };
  });

  test('counts where the request names none', async () => {
    const { id } = await send({ fallbackAfter: null });
    expect(await waits.of(id)).toMatchObject({ wanted: 'read' });
    expect(await t.sql('select fallback_after, success_status from messages where id = $1', [toUuid(id)])).toEqual([
      { fallback_after: 60, success_status: 'read' },
    ]);
  });

  test('gives way to the request, member by member', async () => {
    const { id } = await send({ fallbackAfter: 20, successStatus: 'delivered' });
    expect(await waits.of(id)).toMatchObject({ wanted: 'delivered' });
    const other = await send({ fallbackAfter: 20 });
    expect(await waits.of(other.id)).toMatchObject({ wanted: 'read' });
  });
});

describe('a receipt', () => {
  test('in time ends the wait, and the routing', async () => {
    const { id, providerId } = await send();
    await report(providerId, 'delivered');
    expect(await waits.of(id)).toBeNull();
    expect(await storedMessage(t, id)).toMatchObject({ status: 'delivered' });
    expect(await eventsOf(id)).toEqual(['message.sent', 'message.routed']);
    expect(await follow()).toBe(0);
  });

  test('that says less than is wanted does not', async () => {
    const { id, providerId } = await send({ successStatus: 'read' });
    await report(providerId, 'delivered');
    expect(await waits.of(id)).toMatchObject({ is_taken: false });
    expect(await eventsOf(id)).toEqual(['message.sent']);
    await report(providerId, 'read');
    expect(await waits.of(id)).toBeNull();
    expect(await eventsOf(id)).toEqual(['message.sent', 'message.routed']);
  });

  test('of an SMS is enough at delivered: it is never read', async () => {
    const { id, providerId } = await send({ channels: ['sms', 'chat_qr'], successStatus: 'read' });
    expect(await waits.of(id)).toMatchObject({ wanted: 'delivered' });
    await report(providerId, 'delivered');
    expect(await waits.of(id)).toBeNull();
  });

  test.each(['failed', 'expired'] as const)('that says %s brings the next channel at once', async status => {
    const { id, providerId } = await send();
    await report(providerId, status);
    // The routing goes on: nothing is told of an end.
    expect(await storedMessage(t, id)).toMatchObject({ status: 'sent' });
    expect(await eventsOf(id)).toEqual(['message.sent']);
    expect(await follow()).toBe(1);
    expect(await waits.attemptsOf(id)).toEqual([`chat_qr ${status}`, 'sms sent']);
    expect(await storedMessage(t, id)).toMatchObject({ status: 'sent' });
    expect(await eventsOf(id)).toEqual(['message.sent', 'sms.sent', 'message.routed']);
  });

  test('that says failed makes the message failed where what follows fails too', async () => {
    const { id, providerId } = await send({ to: '+12025550101' });
    await report(providerId, 'failed');
    await follow();
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr failed', 'sms failed']);
    expect(await storedMessage(t, id)).toMatchObject({ status: 'failed' });
    expect(await eventsOf(id)).toEqual(['message.sent', 'sms.failed', 'message.failed', 'message.routed']);
  });

  test('that is late counts where it stands, and nothing is sent or charged again', async () => {
    const { id, providerId } = await send();
    await waits.comeDue(id);
    await follow();
    await report(providerId, 'delivered');
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr delivered', 'sms sent']);
    expect(await storedMessage(t, id)).toMatchObject({ status: 'delivered', channel: 'chat_qr' });
    expect(await eventsOf(id)).toEqual(['message.sent', 'sms.sent', 'message.routed']);
    expect(await balance()).toEqual({ credits: 999_999, held: 0 });
  });

  test('that says failed does not take back what is on its way', async () => {
    const { id, providerId } = await send();
    await waits.take(id);
    await report(providerId, 'failed');
    expect(await waits.of(id)).toMatchObject({ is_taken: true });
    await waits.loseLease(id);
    await follow();
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr failed', 'sms sent']);
    expect(await eventsOf(id)).toEqual(['message.sent', 'sms.sent', 'message.routed']);
  });

  test('that comes between a process that died and the next one spares the next channel', async () => {
    const { id, providerId } = await send();
    await waits.take(id);
    await report(providerId, 'delivered');
    await waits.loseLease(id);
    await follow();
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr delivered']);
    expect(await waits.of(id)).toBeNull();
    expect(await eventsOf(id)).toEqual(['message.sent', 'message.routed']);
  });

  test('of the first channel ends the wait for the second', async () => {
    const cloudTemplate = { name: 'order', language: 'en' };
    const { id, providerId } = await send({ channels: ['chat_qr', 'chat_cloud', 'sms'], cloudTemplate });
    await waits.comeDue(id);
    await follow();
    await report(providerId, 'delivered');
    expect(await waits.of(id)).toBeNull();
    expect(await follow()).toBe(0);
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr delivered', 'chat_cloud sent']);
    expect(await eventsOf(id)).toEqual(['message.sent', 'message.routed']);
  });

  test('that says that the first channel failed leaves the second its time', async () => {
    const cloudTemplate = { name: 'order', language: 'en' };
    const { id, providerId } = await send({ channels: ['chat_qr', 'chat_cloud', 'sms'], cloudTemplate });
    await waits.comeDue(id);
    await follow();
    await report(providerId, 'failed');
    expect(await follow()).toBe(0);
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr failed', 'chat_cloud sent']);
  });
});

describe('what a process leaves that dies', () => {
  test('before the next channel is asked is gone on with when its lease is over, and not before', async () => {
    const { id } = await send();
    await waits.take(id);
    expect(await follow()).toBe(0);
    await waits.loseLease(id);
    expect(await follow()).toBe(1);
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent', 'sms sent']);
  });

  test('while the next channel is asked is unknown, and not repeated', async () => {
    const { id } = await send();
    await waits.take(id);
    await waits.putUnderWay(id, 'sms', { held: 1 });
    await waits.loseLease(id);
    expect(await follow()).toBe(1);
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent', 'sms unknown']);
    expect(await storedMessage(t, id)).toMatchObject({ status: 'sent' });
    expect(await waits.of(id)).toBeNull();
    expect(await eventsOf(id)).toEqual(['message.sent', 'message.routed']);
  });

  test('is ended once by recovery and follow-ups together', async () => {
    const { id } = await send();
    await waits.take(id);
    await waits.loseLease(id);
    await Promise.all([
      follow(),
      recoverSends(t.ctxFor(OPERATOR), MESSAGE),
      follow(),
      recoverSends(t.ctxFor(OPERATOR), MESSAGE),
    ]);
    expect(await waits.attemptsOf(id)).toEqual(['chat_qr sent', 'sms sent']);
    expect(await waits.of(id)).toBeNull();
  });
});

describe('a repeat of the request', () => {
  test('is answered as it was, whatever followed', async () => {
    const more = { to: newPhone(), reference: 'order-1' };
    const first = await sendMessage(t.ctxFor(account.actor('unified')), input(more));
    await waits.comeDue(first.id);
    await follow();
    const again = await sendMessage(t.ctxFor(account.actor('unified')), input(more));
    expect(again.id).toBe(first.id);
    expect(again.attempts?.map(({ id, status }) => [id, status])).toEqual(
      first.attempts?.map(({ id }) => [id, 'sent']),
    );
  });

  test('with another time is another request', async () => {
    const more = { to: newPhone(), reference: 'order-2' };
    await send(more);
    await expect(send({ ...more, fallbackAfter: 31 })).rejects.toMatchObject({ code: 'reference_reused' });
    await expect(send({ ...more, successStatus: 'read' })).rejects.toMatchObject({ code: 'reference_reused' });
  });
});

async function balance(): Promise<{ credits: number; held: number } | undefined> {
  const [row] = await t.sql<{ credits: number; held: number }>('select credits, held from accounts where id = $1', [
    toUuid(account.accountId),
  ]);
  return row;
}

/** The processes that wait for a lock in this database. */
const LOCKS =
  'select from pg_locks where not granted and pid in (select pid from pg_stat_activity where datname = current_database())';

describePostgres('a receipt that is on its way when a settle begins a wait', () => {
  test('ends the wait', async () => {
    const { id, providerId } = await send();
    // As an earlier attempt whose answer never came.
    await t.sql(`update attempts set status = 'unknown' where message_id = $1`, [toUuid(id)]);
    const [wait] = await t.sql<{ row: object }>(
      'delete from follow_ups where send_id = $1 returning to_json(follow_ups) as row',
      [toUuid(id)],
    );
    let reported: Promise<unknown> = Promise.resolve();
    await t.database.fork().transactional(async em => {
      await em.execute('select from messages where id = ? for update', [toUuid(id)]);
      reported = report(providerId, 'delivered');
      await expect.poll(() => t.sql(LOCKS)).not.toEqual([]);
      await em.execute('insert into follow_ups select * from json_populate_record(null::follow_ups, ?)', [wait?.row]);
    });
    await reported;
    expect(await waits.of(id)).toBeNull();
    expect(await eventsOf(id)).toContain('message.routed');
  });
});
