import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { createConnection, updateConnection } from '../../../src/modules/connections/manage-connections.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { OPERATOR } from '../../support/services.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);

const PREVIEW = `query ($input: SendMessageInput!) {
  previewSend(input: $input) {
    recipient country smsText encoding segments credits
    costly { character codePoint count cost replacement }
    legs { channel from refusal sentBy sandboxReason connections { name provider verdict } }
  }
}`;

const preview = (input: object, token: string = customer.tokens.unified) =>
  on.graphql<{ previewSend: unknown }>(PREVIEW, {
    token,
    variables: { input: { to: '+49 151 23456789', text: 'Hello', channels: ['SMS'], sender: 'ACME', ...input } },
  });

const sandboxed = (sandboxReason: string) => [
  { channel: 'SMS', from: 'ACME', refusal: null, sentBy: 'SANDBOX', sandboxReason, connections: [] },
];

describe('the preview of a send', () => {
  test('says what it costs, and that nothing is connected', async () => {
    const { data } = await preview({});
    expect(data?.previewSend).toEqual({
      recipient: '4915123456789',
      country: 'DE',
      smsText: 'Hello',
      encoding: 'GSM7',
      segments: 1,
      credits: 1,
      costly: [],
      legs: sandboxed('The sandbox takes it: the account has no connection, and none is shared.'),
    });
  });

  test('names the characters that cost, and what could stand in their place', async () => {
    const { data } = await preview({ text: `“Ж” ’ ${'x'.repeat(70)}` });
    expect(data?.previewSend).toMatchObject({
      encoding: 'UCS2',
      segments: 2,
      credits: 2,
      costly: [
        { character: '“', codePoint: 'U+201C', count: 1, cost: 'UCS2', replacement: '"' },
        { character: 'Ж', codePoint: 'U+0416', count: 1, cost: 'UCS2', replacement: null },
        { character: '”', codePoint: 'U+201D', count: 1, cost: 'UCS2' },
        { character: '’', codePoint: 'U+2019', count: 1, cost: 'UCS2' },
      ],
    });
    const double = await preview({ text: '€€ [x]' });
    expect(double.data?.previewSend).toMatchObject({
      encoding: 'GSM7',
      costly: [
        { character: '€', count: 2, cost: 'DOUBLE', replacement: null },
        { character: '[', count: 1 },
        { character: ']', count: 1 },
      ],
    });
  });

  test('shows the text with smart encoding, where the account has it', async () => {
    await on.sql('update accounts set smart_encoding = true where id = $1', [toUuid(customer.accountId)]);
    on.app.authenticator.forget();
    const { data } = await preview({ text: `It’s ${'x'.repeat(100)}` });
    expect(data?.previewSend).toMatchObject({ smsText: `It's ${'x'.repeat(100)}`, encoding: 'GSM7', segments: 1 });
  });

  test('refuses a recipient who wants no messages, and shows the passcode that such a one still gets', async () => {
    const to = '+49 151 23456790';
    const token = customer.tokens.unified;
    await on.graphql('mutation ($to: String!) { suppress(input: { to: $to }) { id } }', { token, variables: { to } });
    const { errors } = await preview({ to });
    expect(errors?.[0]?.extensions.code).toBe('RECIPIENT_SUPPRESSED');
    const otp = 'query ($input: SendOtpInput!) { previewOtp(input: $input) { recipient } }';
    const free = await on.graphql(otp, { token, variables: { input: { to } } });
    expect(free.data?.previewOtp).toEqual({ recipient: '4915123456790' });
    await on.graphql('mutation { updateOptOutSettings(input: { stopsOtps: true }) { stopsOtps } }', {
      token: customer.tokens.management,
    });
    on.app.authenticator.forget();
    const stopped = await on.graphql(otp, { token, variables: { input: { to } } });
    expect(stopped.errors?.[0]?.extensions.code).toBe('RECIPIENT_SUPPRESSED');
  });

  test('refuses what the send would refuse, and sends nothing', async () => {
    const { errors } = await preview({ sender: 'STRANGER' });
    expect(errors?.[0]?.extensions.code).toBe('SENDER_NOT_APPROVED');
    await preview({});
    expect(await on.sql('select id from messages where account_id = $1', [toUuid(customer.accountId)])).toEqual([]);
    expect(await on.sql('select held from accounts where id = $1', [toUuid(customer.accountId)])).toEqual([
      { held: 0 },
    ]);
  });

  test('is closed to other areas', async () => {
    const { errors } = await preview({}, customer.tokens.otp);
    expect(errors?.[0]?.extensions.code).toBe('WRONG_AREA');
  });

  describe('where gateways are connected', () => {
    beforeEach(async () => {
      const ctx = () => on.app.makeCtx(OPERATOR, 'test');
      const connect = (name: string, more: object = {}) =>
        createConnection(ctx(), {
          accountId: customer.accountId,
          provider: 'http-sms',
          channel: 'sms',
          name,
          config: { request: { url: 'http://127.0.0.1:9/send' } },
          ...more,
        });
      await connect('second', { priority: 200 });
      await connect('first');
      await connect('codes', { purposes: ['otp'] });
      await connect('elsewhere', { countries: ['US'] });
      const paused = await connect('paused');
      await updateConnection(ctx(), { connectionId: paused.id, paused: true });
      await on.app.services.providers.refresh();
    });

    test('names those that would be asked, in order, and says why the others would not', async () => {
      const { data } = await preview({});
      const legs = [
        {
          channel: 'SMS',
          from: 'ACME',
          refusal: null,
          sentBy: 'ACCOUNT',
          sandboxReason: null,
          connections: [
            ['first', 'FIRST'],
            ['second', 'FOLLOWS'],
            ['codes', 'PURPOSE'],
            ['elsewhere', 'COUNTRY'],
            ['paused', 'PAUSED'],
          ].map(([name, verdict]) => ({ name, provider: 'http-sms', verdict })),
        },
      ];
      expect(data?.previewSend).toMatchObject({ legs });
    });

    test('says that a magic number goes to the sandbox, and a channel without any to nobody', async () => {
      const magic = await preview({ to: '+12025550100' });
      expect(magic.data?.previewSend).toMatchObject({
        legs: sandboxed('The sandbox takes it: the number is one of its test numbers.'),
      });
      const chat = await preview({ channels: ['CHAT_QR'], chatFrom: '15550000001' });
      expect(chat.data?.previewSend).toMatchObject({
        credits: 0,
        legs: [{ sentBy: 'NOBODY', sandboxReason: null, connections: [] }],
      });
    });
  });
});
