import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import { followSends } from '../../../src/modules/routing/follow-ups/follow-sends.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { createFollowUps } from '../../support/messaging/follow-ups.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { expectProblem } from '../../support/problems.ts';
import { OPERATOR } from '../../support/services.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);

const REPLY = 'mutation ($input: SandboxReplyInput!) { sandboxReply(input: $input) { messageId replyTo } }';

async function write(phone: string, text: string, to = 'ACME') {
  const { data } = await on.graphql<{ sandboxReply: { messageId: string; replyTo: string | null } }>(REPLY, {
    token: customer.tokens.unified,
    variables: { input: { phone, to, text } },
  });
  return data?.sandboxReply ?? { messageId: '', replyTo: null };
}

const answer = (body: object, token = customer.tokens.unified) => on.rest('POST', '/api/omni/send', { token, body });
const digits = (phone: string): string => phone.replace('+', '');

const SEND = `mutation ($input: SendMessageInput!) {
  sendMessage(input: $input) { recipient channel sender chatFrom attempts { channel status } }
}`;

describe('an answer to a message that came in', () => {
  test.each([
    ['ACME', 'SMS', { sender: 'ACME', chatFrom: null }],
    ['15550000001', 'CHAT_QR', { sender: null, chatFrom: '15550000001' }],
  ])('goes to its writer from %s, by %s', async (to, channel, from) => {
    const phone = newPhone();
    const { messageId } = await write(phone, 'When do you open?', to);
    const { data } = await on.graphql<{ sendMessage: object }>(SEND, {
      token: customer.tokens.unified,
      variables: { input: { replyTo: messageId, text: 'At nine.' } },
    });
    expect(data?.sendMessage).toEqual({
      recipient: digits(phone),
      channel,
      ...from,
      attempts: [{ channel, status: 'SENT' }],
    });
  });

  test('goes by REST too, and once with a reference', async () => {
    const phone = newPhone();
    const { messageId } = await write(phone, 'When do you open?');
    const body = { replyTo: messageId, text: 'At nine.', reference: `answer-${messageId}` };
    const first = await answer(body);
    expect(first.body.data).toMatchObject({ recipient: digits(phone), status: 'sent', channel: 'sms' });
    const again = await answer(body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body.data).toMatchObject({ messageId: Object(first.body.data).messageId });
  });

  test('is refused beside a recipient, of what is none, and over another way', async () => {
    const phone = newPhone();
    const { messageId } = await write(phone, 'Hello');
    const text = 'At nine.';
    expectProblem(await answer({ replyTo: messageId, to: phone, text }), 400, 'invalid_input', 'replyTo');
    expectProblem(await answer({ text }), 400, 'invalid_input', 'to');
    for (const replyTo of ['msg_1', `msg_${'0'.repeat(32)}`])
      expectProblem(await answer({ replyTo, text }), 400, 'invalid_input', 'replyTo');
    expectProblem(await answer({ replyTo: messageId, text, channels: ['chat_qr'] }), 400, 'invalid_input', 'channels');
    expectProblem(await answer({ replyTo: messageId, text, sender: 'OTHER' }), 400, 'invalid_input', 'sender');
  });

  test('comes from the cloud number that was written to', async () => {
    const numbers = ['15550000002', '15550000003'];
    const shop = await on.customer({
      senders: numbers.map(address => ({ channel: 'chat_cloud' as const, address, templateRequired: false })),
    });
    const query = 'mutation ($input: SandboxReplyInput!) { sandboxReply(input: $input) { messageId } }';
    const input = { phone: newPhone(), to: numbers[1], text: 'Hello' };
    const { data } = await on.graphql<{ sandboxReply: { messageId: string } }>(query, {
      token: shop.tokens.unified,
      variables: { input },
    });
    await answer({ replyTo: data?.sandboxReply.messageId, text: 'At nine.' }, shop.tokens.unified);
    const sent = await on.sql<{ sender: string }>(
      `select sender from attempts where account_id = $1 and type = 'message_attempt'`,
      [toUuid(shop.accountId)],
    );
    expect(sent).toEqual([{ sender: numbers[1] }]);
  });

  test('of another account is none', async () => {
    const { messageId } = await write(newPhone(), 'Hello');
    const other = await on.customer();
    expectProblem(
      await answer({ replyTo: messageId, text: 'At nine.' }, other.tokens.unified),
      400,
      'invalid_input',
      'replyTo',
    );
  });
});

test('chat, 15 s, SMS, the answer STOP, and the next send is refused', async () => {
  const to = newPhone();
  const route = { channels: ['chat_qr', 'sms'], chatFrom: '15550000001', sender: 'ACME', fallbackAfter: 15 };
  const sent = await answer({ to, text: 'Your parcel arrives today.', ...route });
  const { messageId } = Object(sent.body.data);
  expect(sent.body.data).toMatchObject({ status: 'sent', channel: 'chat_qr' });
  await createFollowUps({ sql: (text, parameters) => on.sql(text, parameters) }).comeDue(messageId);
  await followSends(on.app.makeCtx(OPERATOR, 'test'), MESSAGE);
  const query = 'query ($id: String!) { message(id: $id) { attempts { channel status } } }';
  const { data } = await on.graphql(query, { token: customer.tokens.unified, variables: { id: messageId } });
  expect(data).toMatchObject({ message: { attempts: [{ channel: 'CHAT_QR' }, { channel: 'SMS' }] } });
  expect((await write(to, 'Stop.')).replyTo).toBe(messageId);
  expectProblem(await answer({ to, text: 'Hello', channels: ['sms'], sender: 'ACME' }), 403, 'recipient_suppressed');
});
