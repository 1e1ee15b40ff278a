import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { receiveInbound } from '../../../../src/modules/inbound/receive-inbound.ts';
import { suppress } from '../../../../src/modules/suppressions/manage-suppressions.ts';
import { storedAudit } from '../../../support/audit/audit-entries.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { EVERY_CHANNEL, SMS } from '../../../support/messaging/send-cases.ts';
import { newRecipient } from '../../../support/otp/pins.ts';
import { sendPin } from '../../../support/otp/rest-calls.ts';
import { addPerson, openPage } from '../../../support/people/people.ts';
import { OPERATOR } from '../../../support/services.ts';

const on = setUpApp();
const customer = setUpCustomer(on);
let page: Record<string, string>;

beforeAll(async () => {
  page = await openPage(on, await addPerson(on, customer.accountId, 'support'));
});

const RESEND = `mutation ($input: ResendMessageInput!) {
  resendMessage(input: $input) { messageId recipient text channels chatFrom sender deliveryMode status reference }
}`;

async function send(body: object = SMS): Promise<string> {
  const { body: answer } = await on.rest('POST', '/api/omni/send', { token: customer.tokens.unified, body });
  return String(answer.data?.messageId);
}

async function resend(input: object, headers = page) {
  return on.graphql<{ resendMessage: Record<string, unknown> }>(RESEND, { headers, variables: { input } });
}

describe('support', () => {
  test('sends a message once more to its recipient over its route, as a message of its own', async () => {
    const messageId = await send({ ...EVERY_CHANNEL, to: '+12025550103' });
    const { data, errors } = await resend({ messageId });
    expect(errors).toBeNull();
    expect(data?.resendMessage).toEqual({
      messageId: expect.stringMatching(/^msg_/),
      recipient: '12025550103',
      text: 'Hello',
      channels: ['CHAT_QR', 'CHAT_CLOUD', 'SMS'],
      chatFrom: '15550000001',
      sender: 'ACME',
      deliveryMode: 'FALLBACK',
      status: 'SENT',
      reference: null,
    });
    expect(data?.resendMessage.messageId).not.toBe(messageId);
  });

  test('pays what the text costs', async () => {
    const read = async (): Promise<number> => {
      const { data } = await on.graphql<{ balance: { credits: number } }>('{ balance { credits } }', { headers: page });
      return data?.balance.credits ?? 0;
    };
    const messageId = await send();
    const before = await read();
    await resend({ messageId });
    expect(await read()).toBe(before - 1);
  });

  test('stands in the audit trail with the message', async () => {
    const messageId = await send();
    await resend({ messageId });
    expect((await storedAudit(on)).filter(({ subject }) => subject === messageId)).toMatchObject([
      { action: 'message.resent', actor: 'user' },
    ]);
  });

  test('is sent once for one reference', async () => {
    const messageId = await send();
    const input = { messageId, reference: crypto.randomUUID() };
    const [first, second] = [await resend(input), await resend(input)];
    expect(second.data?.resendMessage.messageId).toBe(first.data?.resendMessage.messageId);
  });

  test('answers the same reference as it did first, though the recipient has stopped since', async () => {
    const to = `+${newRecipient()}`;
    const messageId = await send({ ...SMS, to });
    const input = { messageId, reference: crypto.randomUUID() };
    const first = await resend(input);
    await suppress(on.app.makeCtx(customer.operator, 'test'), { to });
    expect((await resend(input)).data).toEqual(first.data);
    expect((await resend({ messageId })).errors).toMatchObject([{ extensions: { code: 'RECIPIENT_SUPPRESSED' } }]);
  });

  test('sends nothing whose text is not kept any longer', async () => {
    const messageId = await send();
    await on.sql("update messages set text = '' where id = $1", [toUuid(messageId)]);
    const { errors } = await resend({ messageId });
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', errors: [{ field: 'messageId' }] } }]);
  });

  test.each(['unified', 'otp'] as const)('sends a passcode of a token %s once more', async area => {
    const { pinId } = await sendPin(on, customer, { area, to: '+12025550100' });
    const { data, errors } = await on.graphql(
      'mutation ($id: String!) { resendOtp(input: { pinId: $id }) { pinId status } }',
      {
        headers: page,
        variables: { id: pinId },
      },
    );
    expect([data, errors]).toEqual([{ resendOtp: { pinId, status: 'SENT' } }, null]);
  });

  test.each([
    'mutation { sendMessage(input: { to: "+12025550100", text: "Hi", sender: "ACME" }) { id } }',
    'mutation { sendOtp(input: { to: "+12025550100" }) { id } }',
  ])('writes to nobody new: %s', async query => {
    const { errors } = await on.graphql(query, { headers: page });
    expect(errors).toMatchObject([{ extensions: { code: 'WRONG_AREA' } }]);
  });
});

describe('to a person without a phone number', () => {
  const template = { cloudTemplate: { name: 'hello', language: 'en' } };
  let person: string;
  let people = 0;

  beforeEach(() => {
    people += 1;
    person = `US.1349120865530274${people}`;
  });

  /** Writes as the person does, to the QR sender unless told. */
  const write = async (to = '15550000001', from = person): Promise<string> => {
    const channel = to === '15550000001' ? ('chat_qr' as const) : ('chat_cloud' as const);
    const bringer = { id: null, accountId: customer.accountId, providerId: 'sandbox', channel };
    const said = { providerMessageId: null, from, to, type: 'text', text: 'When do you open?' };
    const [received] = await receiveInbound(on.app.makeCtx(OPERATOR, 'test'), bringer, [said]);
    return received?.messageId ?? '';
  };
  const answer = async (replyTo: string, more: object = {}) => send({ replyTo, text: 'At nine.', ...more });

  test.each([
    ['15550000001', {}, 'CHAT_QR', '15550000001'],
    ['15550000002', template, 'CHAT_CLOUD', null],
  ])('goes as the answer did, from %s', async (to, more, channel, chatFrom) => {
    const messageId = await answer(await write(to), more);
    const { data, errors } = await resend({ messageId });
    expect(errors).toBeNull();
    expect(data?.resendMessage).toMatchObject({ recipient: person, text: 'At nine.', channels: [channel], chatFrom });
  });

  test('goes so whatever the person has written since, and once for one reference', async () => {
    const messageId = await answer(await write());
    const input = { messageId, reference: crypto.randomUUID() };
    const first = await resend(input);
    await write('15550000002');
    await write();
    const second = await resend(input);
    expect([first.errors, second.errors]).toEqual([null, null]);
    expect(second.data?.resendMessage.messageId).toBe(first.data?.resendMessage.messageId);
  });

  test('goes to a short code, which is no phone number', async () => {
    const messageId = await answer(await write('15550000001', '60123'));
    const { data, errors } = await resend({ messageId });
    expect([data?.resendMessage.recipient, errors]).toEqual(['60123', null]);
  });

  test('is refused where nothing is kept of what the person wrote', async () => {
    const messageId = await answer(await write());
    await on.sql('delete from inbound_messages where from_user_id = $1', [person]);
    const { errors } = await resend({ messageId });
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', errors: [{ field: 'messageId' }] } }]);
    expect((await storedAudit(on)).filter(({ subject }) => subject === messageId)).toEqual([]);
  });
});

test.each(['12025550177', 'US.7349120865530274'])(
  'an answer by a second cloud number to %s goes by that number again',
  async from => {
    const [first = '', second = ''] = ['15550000002', '15550000003'];
    const senders = [first, second].map(address => ({
      channel: 'chat_cloud' as const,
      address,
      templateRequired: false,
    }));
    const shop = await on.customer({ senders });
    const bringer = { id: null, accountId: shop.accountId, providerId: 'sandbox', channel: 'chat_cloud' as const };
    const write = async (to: string): Promise<string> => {
      const said = { providerMessageId: null, from, to, type: 'text', text: 'When do you open?' };
      const [received] = await receiveInbound(on.app.makeCtx(OPERATOR, 'test'), bringer, [said]);
      return received?.messageId ?? '';
    };
    const replyTo = await write(second);
    await write(first);
    const token = shop.tokens.unified;
    const { body } = await on.rest('POST', '/api/omni/send', { token, body: { replyTo, text: 'At nine.' } });
    const again = await on.graphql(RESEND, { token, variables: { input: { messageId: body.data?.messageId } } });
    expect(again.errors).toBeNull();
    const sent = await on.sql<{ sender: string }>(
      `select sender from attempts where account_id = $1 and type = 'message_attempt'`,
      [toUuid(shop.accountId)],
    );
    expect(sent).toEqual([{ sender: second }, { sender: second }]);
  },
);

test('a token sms sends again what it has sent, and nothing of another area', async () => {
  const { body } = await on.rest('POST', '/api/sms/send', {
    token: customer.tokens.sms,
    body: { to: '+12025550100', sender: 'ACME', text: 'Hello' },
  });
  const ask = (messageId: string) =>
    on.graphql(RESEND, { token: customer.tokens.sms, variables: { input: { messageId } } });
  expect((await ask(String(body.data?.messageId))).errors).toBeNull();
  expect((await ask(await send())).errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
});

test('a viewer sends nothing again', async () => {
  const headers = await openPage(on, await addPerson(on, customer.accountId, 'viewer'));
  const { errors } = await resend({ messageId: await send() }, headers);
  expect(errors).toMatchObject([{ extensions: { code: 'WRONG_AREA' } }]);
});
