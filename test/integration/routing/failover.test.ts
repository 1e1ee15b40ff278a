import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SendOutcome } from '../../../src/channels/outcome.ts';
import { fromUuid, toUuid } from '../../../src/kernel/ids.ts';
import { Connection } from '../../../src/modules/connections/connection.entity.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { recoverSends } from '../../../src/modules/routing/recovery/recover.ts';
import { removeSenderRule, setSenderRule } from '../../../src/modules/sender-rules/manage-sender-rules.ts';
import { scriptedConnections, TAKEN_OVER } from '../../support/connections/scripted-connections.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { putUnderWay } from '../../support/messaging/put-under-way.ts';
import { newRecipient } from '../../support/otp/pins.ts';
import { makeAccount, OPERATOR, type TestAccount } from '../../support/services.ts';

const { providers, connections } = scriptedConnections(3);
const [first, second, third] = connections;
if (!first || !second || !third) throw new Error('there are three');
const t = setUpServices({ providers });
const account = setUpAccount(t);

const MODES = ['fallback', 'all'] as const;

const send = (more: Partial<Parameters<typeof sendMessage>[1]> = {}, by: TestAccount = account) =>
  sendMessage(t.ctxFor(by.actor('unified')), {
    to: `+${newRecipient()}`,
    text: 'Hello',
    channels: ['sms'],
    sender: 'ACME',
    ...more,
  });

/** The credits of the account, the held ones, and the charges of its attempts. */
async function moneyOf({ accountId }: TestAccount) {
  const [row] = await t.sql<{ credits: number; held: number; paid: number }>(
    `select credits, held, (select coalesce(-sum(credits), 0)::int from ledger l where l.account_id = a.id and kind = 'capture') as paid
     from accounts a where id = $1`,
    [toUuid(accountId)],
  );
  return row;
}

/** The attempts of a message, as they are stored. */
const stored = (messageId: string) =>
  t.sql<{ connection: string | null; status: string; error_code: string | null; credits: number; country: string }>(
    `select connection_id as connection, status, error_code, credits, country from attempts where message_id = $1 order by id`,
    [toUuid(messageId)],
  );

const ways = MODES.flatMap(mode => TAKEN_OVER.map(([what, outcome]) => [mode, what, outcome] as const));

describe.each(ways)('in the mode %s, where the first connection %s', (deliveryMode, _what, outcome) => {
  test('the next one follows as an attempt of its own, and the text is paid once', async () => {
    first.answerWith(() => outcome);
    const message = await send({ deliveryMode });
    expect(message).toMatchObject({ status: 'sent', channel: 'sms' });
    const code = outcome.kind === 'accepted' ? null : outcome.code;
    expect(await stored(message.id)).toEqual([
      { connection: toUuid(first.connectionId), status: 'failed', error_code: code, credits: 0, country: 'US' },
      { connection: toUuid(second.connectionId), status: 'sent', error_code: null, credits: 1, country: 'US' },
    ]);
    expect([first, second, third].map(({ asked }) => asked.length)).toEqual([1, 1, 0]);
    expect(second.asked[0]?.attemptId).not.toBe(first.asked[0]?.attemptId);
    expect(await moneyOf(account)).toEqual({ credits: 999_999, held: 0, paid: 1 });
  });

  test('the last credits are enough', async () => {
    const poor = await makeAccount(t.services, { credits: 2 });
    first.answerWith(() => outcome);
    const message = await send({ deliveryMode, text: 'x'.repeat(200) }, poor);
    expect(message).toMatchObject({ status: 'sent', segments: 2 });
    expect(await moneyOf(poor)).toEqual({ credits: 0, held: 0, paid: 2 });
  });
});

const FINAL: readonly (readonly [what: string, outcome: SendOutcome, status: string])[] = [
  ['nobody knows whether it has the text', { kind: 'unknown', code: 'timeout', message: 'No answer.' }, 'unknown'],
  ['it refuses the recipient', { kind: 'rejected', code: 'bad_number', message: 'No such number.' }, 'failed'],
];

describe.each(FINAL)('where %s', (_what, outcome, status) => {
  test.each(MODES)('no other connection is asked, in the mode %s', async deliveryMode => {
    first.answerWith(() => outcome);
    const message = await send({ deliveryMode });
    expect(message).toMatchObject({ status, channel: null });
    expect([first, second, third].map(({ asked }) => asked.length)).toEqual([1, 0, 0]);
    expect(await moneyOf(account)).toEqual({ credits: 1_000_000, held: 0, paid: 0 });
  });
});

const DOWN = TAKEN_OVER[0]?.[1] ?? { kind: 'accepted', providerMessageId: '' };

test.each(MODES)(
  'where every connection is down the channel has failed, each tried once, in the mode %s',
  async mode => {
    for (const connection of connections) connection.answerWith(() => DOWN);
    const message = await send({ deliveryMode: mode });
    expect(message).toMatchObject({ status: 'failed', channel: null });
    expect((await stored(message.id)).map(({ connection, status }) => [connection, status])).toEqual(
      connections.map(({ connectionId }) => [toUuid(connectionId), 'failed']),
    );
    expect(await moneyOf(account)).toEqual({ credits: 1_000_000, held: 0, paid: 0 });
  },
);

test('the connections of a channel come before the next channel', async () => {
  first.answerWith(() => DOWN);
  const message = await send({ channels: ['sms', 'chat_qr'], chatFrom: '15550000001' });
  expect(message.attempts?.map(({ channel, status }) => [channel, status])).toEqual([
    ['sms', 'failed'],
    ['sms', 'sent'],
  ]);
});

test('the next channel follows where the connections of one are down', async () => {
  for (const connection of connections) connection.answerWith(() => DOWN);
  const message = await send({ channels: ['sms', 'chat_qr'], chatFrom: '15550000001' });
  expect(message.attempts?.map(({ channel, errorCode }) => [channel, errorCode])).toEqual([
    ['sms', 'connection_failed'],
    ['sms', 'connection_failed'],
    ['sms', 'connection_failed'],
    ['chat_qr', 'no_route'],
  ]);
  expect(await moneyOf(account)).toEqual({ credits: 1_000_000, held: 0, paid: 0 });
});

describe.each(MODES)('where the rules of all other connections refuse the sender, in the mode %s', deliveryMode => {
  const rules = [second, third].map(({ connectionId }) => ({ country: 'US', connectionId }));
  beforeAll(async () => {
    const em = t.database.fork();
    const at = { createdAt: new Date(), updatedAt: new Date() };
    const given = { provider: 'scripted', channel: 'sms', config: '', configKeyId: '', ...at } as const;
    for (const { connectionId: id } of rules) await em.upsert(Connection, { id, name: id, ...given });
    for (const rule of rules) await setSenderRule(t.ctxFor(OPERATOR), { ...rule, alphanumeric: 'refused' });
  });
  afterAll(async () => {
    for (const rule of rules) await removeSenderRule(t.ctxFor(OPERATOR), rule);
  });

  const ROUTES: readonly ('sms' | 'chat_qr')[][] = [['sms'], ['sms', 'chat_qr']];
  const route = (channels: readonly ('sms' | 'chat_qr')[]) => ({
    channels: [...channels],
    deliveryMode,
    ...(channels.length > 1 && { chatFrom: '15550000001' }),
  });

  test.each(ROUTES.map(channels => [channels]))('a message gives back what it held, once: %j', async channels => {
    first.answerWith(() => DOWN);
    const message = await send(route(channels));
    expect(message.attempts?.map(({ channel, errorCode }) => [channel, errorCode])).toEqual([
      ['sms', 'connection_failed'],
      ['sms', 'sender_not_possible'],
      ['sms', 'sender_not_possible'],
      ...(channels.length > 1 ? [['chat_qr', 'no_route']] : []),
    ]);
    expect(await moneyOf(account)).toEqual({ credits: 1_000_000, held: 0, paid: 0 });
  });

  test.each(ROUTES.map(channels => [channels]))('a passcode gives back what it held, once: %j', async channels => {
    first.answerWith(() => DOWN);
    const otp = await sendOtp(t.ctxFor(account.actor('unified')), { to: `+${newRecipient()}`, ...route(channels) });
    expect(otp).toMatchObject({ status: 'failed' });
    expect(await moneyOf(account)).toEqual({ credits: 1_000_000, held: 0, paid: 0 });
  });

  test('a busy account keeps what another text holds', async () => {
    const answered = Promise.withResolvers<SendOutcome>();
    const isAsked = Promise.withResolvers<void>();
    first.answerWith(() => {
      isAsked.resolve();
      return answered.promise;
    });
    const other = send({ text: 'x'.repeat(400) });
    await isAsked.promise;
    first.answerWith(() => DOWN);
    await send({ deliveryMode });
    expect(await moneyOf(account)).toEqual({ credits: 999_997, held: 3, paid: 0 });
    answered.resolve({ kind: 'accepted', providerMessageId: 'other' });
    await other;
    expect(await moneyOf(account)).toEqual({ credits: 999_997, held: 0, paid: 3 });
  });
});

test('a passcode is the same code by the next connection, and says how long it is worth anything', async () => {
  first.answerWith(() => DOWN);
  await sendOtp(t.ctxFor(account.actor('otp')), { to: `+${newRecipient()}`, expiresIn: 600 });
  expect(second.asked[0]?.text).toBe(first.asked[0]?.text);
  expect(second.asked[0]?.validitySeconds).toBeGreaterThan(590);
  expect(second.asked[0]?.validitySeconds).toBeLessThanOrEqual(600);
});

test('where the first answers after its time, no other one is asked and nothing is sent twice', async () => {
  const late = Promise.withResolvers<SendOutcome>();
  const gaveUp = Promise.withResolvers<void>();
  first.answerWith((_request, signal) => {
    signal.addEventListener('abort', () => gaveUp.resolve());
    return late.promise;
  });
  const sending = send();
  await gaveUp.promise;
  // An answer in the turn in which it is told would count.
  await setImmediate();
  late.resolve(DOWN);
  expect(await sending).toMatchObject({ status: 'unknown' });
  expect([first, second].map(({ asked }) => asked.length)).toEqual([1, 0]);
}, 30_000);

test('what a dead process had asked of a connection is unknown, and says which one it was', async () => {
  first.answerWith(() => DOWN);
  const message = await send();
  await t.sql(`delete from attempts where message_id = $1 and status = 'failed'`, [toUuid(message.id)]);
  await putUnderWay(t.sql, message.id);
  await recoverSends(t.ctxFor(OPERATOR), MESSAGE);
  const [attempt, ...others] = await stored(message.id);
  expect(others).toEqual([]);
  expect(attempt).toMatchObject({ status: 'unknown', error_code: 'interrupted' });
  expect(fromUuid('con', attempt?.connection ?? '')).toBe(second.connectionId);
  expect(connections.map(({ asked }) => asked.length)).toEqual([1, 1, 0]);
});
