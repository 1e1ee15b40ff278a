import { describe, expect, test, vi } from 'vitest';
import type { Inbound } from '../../../src/channels/contract.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import type { Bringer } from '../../../src/modules/inbound/inbound-row.ts';
import { listInbound } from '../../../src/modules/inbound/list-inbound.ts';
import { receiveInbound } from '../../../src/modules/inbound/receive-inbound.ts';
import { listLogs } from '../../../src/modules/logs/list-logs.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { setUpAccount, setUpOtherProcess, setUpServices } from '../../support/fixtures.ts';
import { idAt, makeAttempt } from '../../support/logs/log-rows.ts';
import { newRecipient } from '../../support/otp/pins.ts';
import { makeAccount, OPERATOR } from '../../support/services.ts';

const on = setUpServices();
const account = setUpAccount(on);
const other = setUpOtherProcess(on);

const ctx = () => on.ctxFor(account.actor('unified'));

/** A connection of the account, or a shared one. */
function bringerOf(given: Partial<Bringer> = {}): Bringer {
  return { id: newId('con'), accountId: account.accountId, providerId: 'http-sms', channel: 'sms', ...given };
}

function inbound(given: Partial<Inbound> = {}): Inbound {
  return { providerMessageId: null, from: newRecipient(), to: 'ACME', type: 'text', text: 'Yes, please.', ...given };
}

const receive = (message: Inbound, bringer = bringerOf()) => receiveInbound(on.ctxFor(OPERATOR), bringer, [message]);

const received = async () => (await listInbound(ctx(), {})).rows;

/** Has the events of the account written, as if somebody followed them. */
const follow = (accountId = account.accountId) =>
  on.sql(
    `insert into webhook_listeners (id, account_id, events, expires_at) values ($1, $2, '{message.received}', now() + interval '1 minute')`,
    [toUuid(newId('wls')), toUuid(accountId)],
  );

const told = () =>
  on.sql<{ data: object }>(
    `select data::json from webhook_events where account_id = $1 and event = 'message.received' order by id`,
    [toUuid(account.accountId)],
  );

describe('a message that comes in', () => {
  test('is stored and told', async () => {
    await follow();
    const [{ messageId } = { messageId: '' }] = await receive(
      inbound({ from: '+12025550142', to: '+1 2', username: 'Ada' }),
    );
    const [message] = await received();
    expect(message).toMatchObject({ id: messageId, fromNumber: '12025550142', fromUserId: null, text: 'Yes, please.' });
    expect(await told()).toEqual([
      {
        data: {
          messageId,
          channel: 'sms',
          type: 'text',
          from: '12025550142',
          fromUserId: null,
          username: 'Ada',
          to: '+1 2',
          text: 'Yes, please.',
          replyTo: null,
          receivedAt: message?.receivedAt.toISOString(),
        },
      },
    ]);
  });

  test('is an entry of the log, without its text', async () => {
    const [{ messageId } = { messageId: '' }] = await receive(inbound({ from: '12025550143' }));
    const { rows } = await listLogs(ctx(), { filter: { type: 'inbound' } });
    expect(rows).toMatchObject([
      { messageId, status: 'received', recipient: '12025550143', sender: 'ACME', provider: 'http-sms', credits: 0 },
    ]);
    expect(JSON.stringify(rows)).not.toContain('please');
  });

  test('of a person without a number has the name that the channel knows', async () => {
    await receive(inbound({ from: 'US.13491208655302741918' }));
    expect(await received()).toMatchObject([{ fromNumber: null, fromUserId: 'US.13491208655302741918' }]);
  });

  test('keeps what can be stored of its text', async () => {
    await receive(inbound({ text: 'a\u0000b\ud800' }));
    expect(await received()).toMatchObject([{ text: 'ab\ufffd' }]);
  });

  test('that the provider repeats is one', async () => {
    const bringer = bringerOf();
    const message = inbound({ providerMessageId: 'm-1' });
    const results = await receiveInbound(on.ctxFor(OPERATOR), bringer, [message, message]);
    expect(results.map(({ result }) => result).sort()).toEqual(['repeated', 'stored']);
    expect(await receive(message, bringer)).toMatchObject([{ result: 'repeated' }]);
    expect(await received()).toHaveLength(1);
  });

  test('with the id of one by another connection is another', async () => {
    const message = inbound({ providerMessageId: 'm-1' });
    await receive(message);
    await receive(message);
    expect(await received()).toHaveLength(2);
  });

  test('without an id is one each time', async () => {
    const [bringer, message] = [bringerOf(), inbound()];
    await receive(message, bringer);
    await receive(message, bringer);
    expect(await received()).toHaveLength(2);
  });
});

describePostgres('messages that two processes take at once', () => {
  test('are stored once each', async () => {
    const bringer = bringerOf();
    const messages = Array.from({ length: 50 }, (_, n) => inbound({ providerMessageId: `m-${n}` }));
    const elsewhere = on.ctxFor(OPERATOR).with({ services: { ...on.services, database: other } });
    const results = await Promise.all([
      receiveInbound(on.ctxFor(OPERATOR), bringer, messages),
      receiveInbound(elsewhere, bringer, messages.toReversed()),
    ]);
    expect(results.flat().filter(({ result }) => result === 'stored')).toHaveLength(50);
    expect(await received()).toHaveLength(50);
  });
});

describe('an SMS answers', () => {
  const answer = async (given: Partial<Inbound> = {}) => {
    await receive(inbound({ from: '12025550100', ...given }));
    return (await received())[0]?.replyTo ?? null;
  };

  test('the last text between the two', async () => {
    await sendMessage(ctx(), { to: '+12025550100', text: 'One', sender: 'ACME' });
    const { id } = await sendMessage(ctx(), { to: '+12025550100', text: 'Two', sender: 'ACME' });
    expect(await answer()).toBe(id);
  });

  test('no text of another sender, to another person, or of another account', async () => {
    const stranger = await makeAccount(on);
    await sendMessage(on.ctxFor(stranger.actor('unified')), { to: '+12025550100', text: 'Hello', sender: 'ACME' });
    await sendMessage(ctx(), { to: '+12025550100', text: 'Hello', sender: 'ACME' });
    await sendMessage(ctx(), { to: '+12025550199', text: 'Hello', sender: 'OTHER' }).catch(() => undefined);
    expect(await answer({ to: 'SOMEBODY' })).toBeNull();
    expect(await answer({ from: '12025550177' })).toBeNull();
  });

  test('no text that failed', async () => {
    await sendMessage(ctx(), { to: '+12025550101', text: 'Hello', sender: 'ACME' });
    expect(await answer({ from: '12025550101' })).toBeNull();
  });

  test.each([
    [6.9, true],
    [7.1, false],
  ])('a text of %d days ago: %s', async (days, isAnswered) => {
    const startedAt = new Date(Date.now() - days * 86_400_000);
    const attempt = makeAttempt(account.accountId, { messageId: idAt('msg', startedAt), startedAt });
    await on.database.fork().persist(attempt).flush();
    expect(await answer()).toBe(isAnswered ? attempt.messageId : null);
  });
});

describe('a chat answers', () => {
  test('what it quotes alone', async () => {
    const channel = 'chat_cloud';
    const bringer = bringerOf({ channel });
    const quoted = makeAttempt(account.accountId, { channel, providerMessageId: 'wamid.1' });
    const last = makeAttempt(account.accountId, { channel, sender: '15550000002' });
    await on.database.fork().persist([quoted, last]).flush();
    await receive(inbound({ from: '12025550100', to: '15550000002', quotes: 'wamid.1' }), bringer);
    await receive(inbound({ from: '12025550100', to: '15550000002' }), bringer);
    expect((await received()).map(({ replyTo }) => replyTo ?? null).reverse()).toEqual([quoted.messageId, null]);
  });
});

describe('by a shared connection', () => {
  const shared = () => bringerOf({ accountId: null });

  test('a message belongs to the account whose sender it came to', async () => {
    const own = await makeAccount(on, { senders: [{ channel: 'sms', address: '15551230001' }] });
    expect(await receive(inbound({ to: '+15551230001' }), shared())).toMatchObject([{ result: 'stored' }]);
    expect((await listInbound(on.ctxFor(own.actor('unified')), {})).rows).toHaveLength(1);
  });

  test.each(['+1 555-123-0005', '0015551230005', '(1) 555 123 0005', '15551230005'])(
    'one belongs to the account of its sender, written %j',
    async to => {
      const own = await makeAccount(on, { senders: [{ channel: 'sms', address: '15551230005' }] });
      await on.sql('delete from senders where account_id <> $1 and address = $2', [
        toUuid(own.accountId),
        '15551230005',
      ]);
      expect(await receive(inbound({ to }), shared())).toMatchObject([{ result: 'stored' }]);
      expect((await listInbound(on.ctxFor(own.actor('unified')), {})).rows).toMatchObject([
        { toAddress: '15551230005' },
      ]);
    },
  );

  test.each(['12345', '00123', 'Shop 24', '+1 2'])(
    'one to %j, which is no phone number, has it as it is written',
    async to => {
      await receive(inbound({ to }));
      expect(await received()).toMatchObject([{ toAddress: to }]);
    },
  );

  test('one to a sender of nobody, or that is not approved, is dropped', async () => {
    await makeAccount(on, { senders: [{ channel: 'sms', address: '15551230002', approved: false }] });
    expect(await receive(inbound({ to: '15551230002' }), shared())).toMatchObject([{ result: 'unowned' }]);
  });

  test('one to a sender of several accounts belongs to the one that wrote to the person last', async () => {
    const senders = [{ channel: 'sms', address: '15551230003' }] as const;
    const [, second] = [await makeAccount(on, { senders }), await makeAccount(on, { senders })];
    const from = newRecipient();
    expect(await receive(inbound({ from, to: '15551230003' }), shared())).toMatchObject([{ result: 'unowned' }]);
    await sendMessage(on.ctxFor(second.actor('unified')), { to: `+${from}`, text: 'Hello', sender: '15551230003' });
    expect(await receive(inbound({ from, to: '15551230003' }), shared())).toMatchObject([{ result: 'stored' }]);
    expect((await listInbound(on.ctxFor(second.actor('unified')), {})).rows).toHaveLength(1);
  });

  test.each([
    ['a number', 'sms', newRecipient()],
    ['an id', 'chat_cloud', 'US.15551230004'],
  ] as const)(
    'a STOP of %s to a sender of several accounts stops the last that wrote, weeks ago too',
    async (...[, channel, from]) => {
      const senders = [{ channel, address: '15551230004' }] as const;
      const [, second] = [await makeAccount(on, { senders }), await makeAccount(on, { senders })];
      const startedAt = new Date(Date.now() - 21 * 86_400_000);
      const attempt = makeAttempt(second.accountId, { channel, recipient: from, sender: '15551230004', startedAt });
      await on.database.fork().persist(attempt).flush();
      const by = bringerOf({ accountId: null, channel });
      const [stopped] = await receive(inbound({ from, to: '15551230004', text: 'STOP' }), by);
      expect(stopped?.changes).toMatchObject([
        { account_id: toUuid(second.accountId), person: from, is_suppressed: true },
      ]);
      // An answer to a text is one for a week.
      expect((await listInbound(on.ctxFor(second.actor('unified')), {})).rows).toMatchObject([{ replyTo: null }]);
    },
  );
});

describePostgres('a message that would be stored too late', () => {
  test('is not stored, as its provider is told to send it again', async () => {
    const past = new Date(Date.now() - 1_000).toISOString();
    const clock = vi.spyOn(on.database.clock, 'in').mockResolvedValue(past);
    await expect(receive(inbound())).rejects.toMatchObject({ code: 'database_unavailable' });
    expect(await received()).toEqual([]);
    clock.mockRestore();
    await expect(receive(inbound())).resolves.toMatchObject([{ result: 'stored' }]);
  });
});
