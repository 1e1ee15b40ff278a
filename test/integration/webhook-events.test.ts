import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SendOutcome, SendRequest } from '../../src/channels/contract.ts';
import { toUuid } from '../../src/kernel/ids.ts';
import { MESSAGE } from '../../src/modules/messaging/message-kind.ts';
import { recoverMessages } from '../../src/modules/messaging/recover-messages.ts';
import { sendMessage } from '../../src/modules/messaging/send-message.ts';
import { recoverOtps } from '../../src/modules/otp/recover-otps.ts';
import { resendOtp } from '../../src/modules/otp/resend-otp.ts';
import { sendOtp } from '../../src/modules/otp/send-otp.ts';
import { verifyOtp } from '../../src/modules/otp/verify-otp.ts';
import { recordReceipts } from '../../src/modules/routing/record-receipts.ts';
import { routeSend } from '../../src/modules/routing/route-send.ts';
import type { WebhookEventName } from '../../src/modules/webhooks/webhook-events.ts';
import { acceptedOutcome, scriptedProviders } from '../support/app.ts';
import {
  createTestServices,
  makeAccount,
  OPERATOR,
  storedMessage,
  type TestAccount,
  type TestServices,
} from '../support/services.ts';
import { makeEndpoint, type StoredEvent, storedDeliveries, storedEvents } from '../support/webhooks.ts';

const REFUSED: SendOutcome = { kind: 'rejected', code: 'refused', message: 'Refused.' };
const UNKNOWN: SendOutcome = { kind: 'unknown', code: 'timeout', message: 'No answer.' };

let t: TestServices;
let account: TestAccount;
let outcome: (request: SendRequest) => SendOutcome | Promise<SendOutcome> = acceptedOutcome;
const sent: SendRequest[] = [];
let lastNumber = 4_000;

beforeAll(async () => {
  t = await createTestServices({
    providers: scriptedProviders(request => {
      sent.push(request);
      return outcome(request);
    }),
  });
});
afterAll(() => t.close());

beforeEach(async () => {
  outcome = acceptedOutcome;
  account = await makeAccount(t.services);
});

const SMS = { text: 'Hello', channels: ['sms'], sender: 'ACME' } as const;
const CHAT_AND_SMS = { ...SMS, channels: ['chat_qr', 'sms'], chatFrom: '15550000001' } as const;
/** The routes as inputs, whose lists may be changed. */
const send = (input: Partial<Parameters<typeof sendMessage>[1]> = {}, area: 'unified' | 'sms' = 'unified') =>
  sendMessage(t.ctxFor(account.actor(area)), { to: newRecipient(), ...SMS, channels: [...SMS.channels], ...input });
const both = (deliveryMode: 'fallback' | 'all') =>
  send({ ...CHAT_AND_SMS, channels: [...CHAT_AND_SMS.channels], deliveryMode });

function newRecipient(): string {
  return `+1202556${lastNumber++}`;
}

async function names(): Promise<WebhookEventName[]> {
  return (await storedEvents(t, account.accountId)).map(({ event }) => event);
}

async function only(event: WebhookEventName): Promise<StoredEvent> {
  const found = (await storedEvents(t, account.accountId)).filter(each => each.event === event);
  expect(found).toHaveLength(1);
  const [first] = found;
  if (!first) throw new Error('there is none');
  return first;
}

function report(providerMessageId: string | null | undefined, status: 'delivered' | 'failed' | 'sent') {
  const receipt = { provider: 'scripted', providerMessageId: providerMessageId ?? '', status };
  return recordReceipts(t.ctxFor(OPERATOR), [{ ...receipt, errorCode: null, errorMessage: null }]);
}

describe('the events of a message', () => {
  test('an account without an endpoint has none', async () => {
    await send();
    expect(await names()).toEqual([]);
  });

  test('a unified message that was accepted', async () => {
    await makeEndpoint(t, account.accountId);
    await send();
    expect(await names()).toEqual(['sms.sent', 'message.sent', 'message.routed']);
  });

  test('only those that are subscribed to are written', async () => {
    await makeEndpoint(t, account.accountId, { events: ['message.routed'] });
    await send();
    expect(await names()).toEqual(['message.routed']);
  });

  test('an endpoint of another account hears nothing', async () => {
    const other = await makeAccount(t.services);
    await makeEndpoint(t, other.accountId);
    await send();
    expect(await storedEvents(t, other.accountId)).toEqual([]);
  });

  test('tell what REST answers', async () => {
    await makeEndpoint(t, account.accountId);
    const message = await both('fallback');
    const { data } = await only('message.sent');
    const { id, reference, recipient, status, deliveryMode, channel, segments, attempts = [], createdAt } = message;
    expect(data).toEqual({
      messageId: id,
      reference: reference ?? null,
      recipient,
      status,
      deliveryMode,
      channel,
      segments,
      createdAt: createdAt.toISOString(),
      attempts: attempts.map(attempt => ({
        attemptId: attempt.id,
        channel: attempt.channel,
        provider: attempt.provider,
        status: attempt.status,
        errorCode: attempt.errorCode ?? null,
        errorMessage: attempt.errorMessage ?? null,
        segments: attempt.segments,
        credits: attempt.credits,
        startedAt: attempt.startedAt.toISOString(),
        finishedAt: attempt.finishedAt?.toISOString() ?? null,
      })),
    });
  });

  test('a fallback tells of the SMS that failed and of the message that was sent', async () => {
    await makeEndpoint(t, account.accountId);
    outcome = ({ channel }) => (channel === 'sms' ? REFUSED : acceptedOutcome());
    await send({ ...CHAT_AND_SMS, channels: ['sms', 'chat_qr'], deliveryMode: 'fallback' });
    expect(await names()).toEqual(['sms.failed', 'message.sent', 'message.routed']);
    const { data } = await only('message.sent');
    expect(data).toMatchObject({
      status: 'sent',
      channel: 'chat_qr',
      attempts: [{ status: 'failed' }, { status: 'sent' }],
    });
  });

  test('a message that no channel accepted', async () => {
    await makeEndpoint(t, account.accountId);
    outcome = () => REFUSED;
    await both('fallback');
    expect(await names()).toEqual(['sms.failed', 'message.failed', 'message.routed']);
    expect((await only('message.failed')).data).toMatchObject({ status: 'failed', channel: null });
  });

  test('`all` is one message, however many channels accept it', async () => {
    await makeEndpoint(t, account.accountId);
    await both('all');
    const told = await names();
    expect(told.toSorted()).toEqual(['message.routed', 'message.sent', 'sms.sent']);
    expect((await only('message.routed')).data.attempts).toMatchObject([{ status: 'sent' }, { status: 'sent' }]);
  });

  test('a direct SMS is told of as an SMS', async () => {
    await makeEndpoint(t, account.accountId);
    const { id, recipient } = await send({}, 'sms');
    expect(await names()).toEqual(['sms.sent']);
    expect((await only('sms.sent')).data).toMatchObject({
      messageId: id,
      pinId: null,
      recipient,
      status: 'sent',
      channel: 'sms',
    });
  });

  test('an outcome that nobody knows is routed, and told when a receipt proves it', async () => {
    await makeEndpoint(t, account.accountId);
    outcome = () => UNKNOWN;
    const message = await send();
    expect(await names()).toEqual(['message.routed']);
    await t.sql(`update attempts set provider_message_id = 'late-1' where message_id = $1`, [toUuid(message.id)]);
    await report('late-1', 'delivered');
    await report('late-1', 'delivered');
    expect(await names()).toEqual(['message.routed', 'sms.sent', 'message.sent']);
    expect((await only('message.sent')).data).toMatchObject({ status: 'delivered', channel: 'sms' });
  });

  test('a receipt that only confirms tells nothing', async () => {
    await makeEndpoint(t, account.accountId);
    const message = await send();
    await report(message.attempts?.[0]?.providerMessageId, 'delivered');
    expect(await names()).toEqual(['sms.sent', 'message.sent', 'message.routed']);
  });

  test('a receipt that reports it undelivered tells that it failed', async () => {
    await makeEndpoint(t, account.accountId);
    const message = await send();
    await report(message.attempts?.[0]?.providerMessageId, 'failed');
    expect(await names()).toEqual(['sms.sent', 'message.sent', 'message.routed', 'sms.failed', 'message.failed']);
  });

  test('what a dead process left is told once, by who recovers it', async () => {
    await makeEndpoint(t, account.accountId);
    const message = await send();
    await t.sql('delete from webhook_events');
    await t.sql(`update attempts set status = 'pending' where message_id = $1`, [toUuid(message.id)]);
    await t.sql(
      `update messages set status = 'pending', channel = null, lease_until = now() - interval '1 s' where id = $1`,
      [toUuid(message.id)],
    );
    await recoverMessages(t.ctxFor(OPERATOR));
    await recoverMessages(t.ctxFor(OPERATOR));
    expect(await names()).toEqual(['message.routed']);
  });
});

describe('a process that was overtaken', () => {
  /** Lets providers wait for their outcome, recovers what waits for them, and then gives it to them. */
  async function overtake(begin: () => Promise<unknown>, late: SendOutcome): Promise<void> {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<SendOutcome>();
    outcome = () => {
      asked.resolve();
      return answer.promise;
    };
    const sending = begin().then(
      () => 'answered',
      error => error.code,
    );
    await asked.promise;
    for (const table of ['messages', 'otps'])
      await t.sql(`update ${table} set lease_until = now() - interval '1 s' where account_id = $1`, [
        toUuid(account.accountId),
      ]);
    await recoverMessages(t.ctxFor(OPERATOR));
    await recoverOtps(t.ctxFor(OPERATOR));
    answer.resolve(late);
    expect(await sending).toBe('overloaded');
  }
  const statusOf = async (table: 'messages' | 'otps') =>
    (
      await t.sql<{ status: string; channel: string | null }>(
        `select status, channel from ${table} where account_id = $1`,
        [toUuid(account.accountId)],
      )
    )[0];

  test('tells late that a message was sent', async () => {
    await makeEndpoint(t, account.accountId);
    await overtake(send, acceptedOutcome());
    expect(await names()).toEqual(['message.routed', 'sms.sent', 'message.sent']);
    expect(await statusOf('messages')).toEqual({ status: 'sent', channel: 'sms' });
  });

  test('tells late that a message failed', async () => {
    await makeEndpoint(t, account.accountId);
    await overtake(send, REFUSED);
    expect(await names()).toEqual(['message.routed', 'sms.failed', 'message.failed']);
    expect(await statusOf('messages')).toEqual({ status: 'failed', channel: null });
  });

  test('tells late that an OTP was sent', async () => {
    await makeEndpoint(t, account.accountId);
    await overtake(() => sendOtp(t.ctxFor(account.actor('unified')), { to: newRecipient() }), acceptedOutcome());
    expect(await names()).toEqual(['sms.sent', 'otp.sent']);
    expect(await statusOf('otps')).toEqual({ status: 'sent', channel: 'sms' });
  });
});

describe('a message over all channels', () => {
  test('fails where a receipt takes one back before the other is refused', async () => {
    await makeEndpoint(t, account.accountId);
    const refusal = Promise.withResolvers<SendOutcome>();
    const accepted = { kind: 'accepted', providerMessageId: `taken-back-${lastNumber}` } as const;
    outcome = ({ channel }) => (channel === 'sms' ? refusal.promise : accepted);
    const sending = both('all');
    await expect.poll(async () => (await report(accepted.providerMessageId, 'failed'))[0]).toBe('raised');
    refusal.resolve(REFUSED);
    const { id } = await sending;
    expect(await names()).toEqual(['sms.failed', 'message.failed', 'message.routed']);
    expect(await storedMessage(t, id)).toMatchObject({ status: 'failed' });
  });

  test('leaves no attempt pending where its outcome could not be stored at once', async () => {
    await makeEndpoint(t, account.accountId);
    const message = await both('all');
    await t.sql('delete from webhook_events where account_id = $1', [toUuid(account.accountId)]);
    await t.sql(`update attempts set status = 'pending', provider_message_id = null where message_id = $1`, [
      toUuid(message.id),
    ]);
    const [taken] = await t.sql<{ lease: string }>(
      `update messages set status = 'pending', channel = null, lease_until = now() + interval '30 seconds' where id = $1
       returning lease_until::text as lease`,
      [toUuid(message.id)],
    );
    const held = Promise.withResolvers<SendOutcome>();
    outcome = ({ channel }) => (channel === 'sms' ? held.promise : acceptedOutcome());
    let settles = 0;
    const kind: typeof MESSAGE = {
      ...MESSAGE,
      settle: database => item => {
        settles += 1;
        if (settles > 1) return MESSAGE.settle(database)(item);
        held.resolve(acceptedOutcome());
        return Promise.reject(new Error('the database failed over'));
      },
    };
    const attempts = (message.attempts ?? []).map(attempt => ({ ...attempt, status: 'pending' as const }));
    const routing = { send: message, kind, lease: taken?.lease ?? '', attempts, rest: [] };
    await expect(routeSend(t.ctxFor(account.actor('unified')), routing)).rejects.toThrow('failed over');
    await expect
      .poll(async () => (await storedMessage(t, message.id)).attempts.map(({ status }) => status))
      .toEqual(['sent', 'sent']);
    expect((await names()).toSorted()).toEqual(['message.routed', 'message.sent', 'sms.sent']);
  });
});

describe('the events of an OTP', () => {
  const otp = (input: Partial<Parameters<typeof sendOtp>[1]> = {}, area: 'unified' | 'otp' = 'unified') =>
    sendOtp(t.ctxFor(account.actor(area)), { to: newRecipient(), ...input });
  const codeOf = (recipient: string): string =>
    /\d{6}/.exec(sent.findLast(request => request.to === recipient)?.text ?? '')?.[0] ?? '';
  const verify = (pinId: string, pin: string, area: 'unified' | 'otp' = 'unified') =>
    verifyOtp(t.ctxFor(account.actor(area)), { pinId, pin });
  const wrong = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

  test('one that was accepted', async () => {
    await makeEndpoint(t, account.accountId);
    const { id, recipient, expiresAt } = await otp();
    expect(await names()).toEqual(['sms.sent', 'otp.sent']);
    const { data } = await only('otp.sent');
    expect(data).toMatchObject({
      pinId: id,
      recipient,
      status: 'sent',
      channel: 'sms',
      expiresAt: expiresAt.toISOString(),
      verifiedAt: null,
      errorCode: null,
      attempts: [{ channel: 'sms', status: 'sent' }],
    });
    expect((await only('sms.sent')).data).toMatchObject({ pinId: id, messageId: null });
  });

  test('one that no channel accepted', async () => {
    await makeEndpoint(t, account.accountId);
    outcome = () => REFUSED;
    await otp();
    expect(await names()).toEqual(['sms.failed', 'otp.failed']);
    expect((await only('otp.failed')).data).toMatchObject({ status: 'failed', errorCode: 'all_channels_failed' });
  });

  test('an OTP by SMS only is sent as an SMS, and verified as any other', async () => {
    await makeEndpoint(t, account.accountId);
    const { id, recipient } = await otp({}, 'otp');
    await verify(id, codeOf(recipient), 'otp');
    expect(await names()).toEqual(['sms.sent', 'otp.verified']);
  });

  test('the right code', async () => {
    await makeEndpoint(t, account.accountId, { events: ['otp.verified'] });
    const { id, recipient } = await otp();
    const verified = await verify(id, codeOf(recipient));
    const { data } = await only('otp.verified');
    expect(data).toMatchObject({ pinId: id, recipient, status: 'verified', errorCode: null });
    expect(new Date(String(data.verifiedAt))).toEqual(verified.verifiedAt);
  });

  test('each wrong code, and the guess that finds it blocked', async () => {
    await makeEndpoint(t, account.accountId, { events: ['otp.failed'] });
    const { id, recipient } = await otp();
    for (let guess = 0; guess < 6; guess++) await verify(id, wrong(codeOf(recipient))).catch(() => undefined);
    const told = await storedEvents(t, account.accountId);
    expect(told.map(({ data }) => [data.errorCode, data.attemptsRemaining, data.status])).toEqual([
      ['otp_incorrect', 4, 'sent'],
      ['otp_incorrect', 3, 'sent'],
      ['otp_incorrect', 2, 'sent'],
      ['otp_incorrect', 1, 'sent'],
      ['otp_incorrect', 0, 'blocked'],
      ['otp_blocked', 0, 'blocked'],
    ]);
  });

  test('a verify after its expiry', async () => {
    await makeEndpoint(t, account.accountId, { events: ['otp.expired', 'otp.failed'] });
    const { id, recipient } = await otp();
    await t.sql(`update otps set expires_at = now() - interval '1 s' where id = $1`, [toUuid(id)]);
    await verify(id, codeOf(recipient)).catch(() => undefined);
    expect(await names()).toEqual(['otp.expired']);
    expect((await only('otp.expired')).data).toMatchObject({ pinId: id, status: 'expired', errorCode: 'otp_expired' });
  });

  test('a pin that the account does not have tells nothing', async () => {
    await makeEndpoint(t, account.accountId);
    await verify('pin_00000000000000000000000000000001', '123456').catch(() => undefined);
    expect(await names()).toEqual([]);
  });

  test('a resend is told again, with its own attempts', async () => {
    await makeEndpoint(t, account.accountId, { events: ['otp.sent'] });
    const { id } = await otp();
    await t.sql('update otps set resend_available_at = now() where id = $1', [toUuid(id)]);
    await resendOtp(t.ctxFor(account.actor('unified')), { pinId: id });
    const told = await storedEvents(t, account.accountId);
    expect(told).toHaveLength(2);
    expect(told.map(({ data }) => (Array.isArray(data.attempts) ? data.attempts.length : 0))).toEqual([1, 1]);
    expect(told[0]?.data.attempts).not.toEqual(told[1]?.data.attempts);
  });

  test('no event holds the code or the text', async () => {
    await makeEndpoint(t, account.accountId);
    const { id, recipient } = await otp();
    const code = codeOf(recipient);
    await verify(id, wrong(code)).catch(() => undefined);
    await verify(id, code);
    const told = JSON.stringify(await storedEvents(t, account.accountId));
    expect(told).not.toContain(code);
    expect(told).not.toContain('verification code is');
  });
});

describe('the deliveries of an event', () => {
  test('one for each endpoint that subscribes', async () => {
    const [first, second] = await Promise.all([
      makeEndpoint(t, account.accountId, { events: ['message.sent'] }),
      makeEndpoint(t, account.accountId, { events: ['message.sent', 'sms.sent'] }),
    ]);
    await send();
    expect((await storedDeliveries(t, first.endpointId)).map(({ event }) => event)).toEqual(['message.sent']);
    expect((await storedDeliveries(t, second.endpointId)).map(({ event }) => event)).toEqual([
      'sms.sent',
      'message.sent',
    ]);
  });

  test('wait for an endpoint that is paused', async () => {
    const { endpointId } = await makeEndpoint(t, account.accountId, { events: ['message.sent'], status: 'paused' });
    await send();
    expect(await storedDeliveries(t, endpointId)).toMatchObject([{ status: 'pending', tries: 0 }]);
  });

  test('are kept, given up, for one that is disabled', async () => {
    const { endpointId } = await makeEndpoint(t, account.accountId, { events: ['message.sent'], status: 'disabled' });
    await send();
    expect(await storedDeliveries(t, endpointId)).toMatchObject([
      { status: 'dead', error: 'endpoint_disabled', next_in: null },
    ]);
  });

  test('a listener has events written, and no delivery', async () => {
    await t.sql(
      `insert into webhook_listeners (id, account_id, events, expires_at) values (gen_random_uuid(), $1, '{message.sent}', now() + interval '30 s')`,
      [toUuid(account.accountId)],
    );
    await send();
    expect(await names()).toEqual(['message.sent']);
    expect(await t.sql('select 1 from webhook_deliveries where account_id = $1', [toUuid(account.accountId)])).toEqual(
      [],
    );
  });
});

test('a receiver that ignores what is older ends where the gateway is, in whatever order events come', async () => {
  await makeEndpoint(t, account.accountId, { events: ['message.sent', 'message.failed', 'message.routed'] });
  const reports = fc.array(fc.constantFrom('delivered', 'failed', 'sent'), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(reports, fc.infiniteStream(fc.nat()), async (statuses, order) => {
      const { id, attempts } = await send();
      for (const status of statuses) await report(attempts?.[0]?.providerMessageId, status);
      const told = await t.sql<{ at: string; status: string }>(
        `select to_char(created_at, 'YYYY-MM-DD HH24:MI:SS.US') as at, data::json->>'status' as status
         from webhook_events where data::json->>'messageId' = $1`,
        [id],
      );
      expect(new Set(told.map(({ at }) => at)).size).toBe(told.length);
      const shuffled = told.map(event => ({ event, place: order.next().value ?? 0 })).sort((a, b) => a.place - b.place);
      let last = { at: '', status: '' };
      for (const { event } of shuffled) if (event.at > last.at) last = event;
      const { status } = await storedMessage(t, id);
      // What a receipt only confirms is not told again: delivered is sent.
      expect(last.status === 'failed').toBe(status === 'failed');
    }),
    { numRuns: 30 },
  );
});

test('an event stays below 20 KB, whatever a provider writes', async () => {
  await makeEndpoint(t, account.accountId);
  const words = '\u0001😀'.repeat(20_000);
  outcome = () => ({ kind: 'rejected', code: words, message: words });
  await both('fallback');
  const rows = await t.sql<{ size: number }>(
    'select octet_length(data) as size from webhook_events where account_id = $1',
    [toUuid(account.accountId)],
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const { size } of rows) expect(size).toBeLessThan(19_000);
});
