import { describe, expect, test } from 'vitest';
import { OPERATOR_TOKEN } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { type SendBody, TEMPLATE, toGraphqlInput } from '../../../support/messaging/send-cases.ts';
import { askerOf, onlyError, otpOf, RESEND_OTP, SEND_OTP, VERIFY_OTP } from '../../../support/otp/graphql-calls.ts';
import { newPhone } from '../../../support/otp/pins.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

const ask = askerOf(on, customer);

const send = (body: SendBody, token?: string | null, headers?: Record<string, string>) =>
  ask(SEND_OTP, toGraphqlInput(body), token, headers);

describe('sendOtp', () => {
  test('answers the passcode with its attempts', async () => {
    const recipient = newPhone();
    const otp = otpOf(await send({ to: recipient }));
    expect(otp).toEqual({
      __typename: 'Otp',
      id: otp.pinId,
      pinId: expect.stringMatching(/^pin_[0-9a-f]{32}$/),
      recipient: recipient.slice(1),
      status: 'SENT',
      channel: 'SMS',
      channels: ['SMS'],
      deliveryMode: 'FALLBACK',
      length: 6,
      expiresAt: new Date(Date.parse(otp.createdAt) + 300_000).toISOString(),
      resendAvailableAt: new Date(Date.parse(otp.createdAt) + 60_000).toISOString(),
      resends: 0,
      attemptsRemaining: 5,
      attempts: [
        {
          __typename: 'Attempt',
          id: expect.stringMatching(/^att_[0-9a-f]{32}$/),
          channel: 'SMS',
          provider: 'sandbox',
          status: 'SENT',
          errorCode: null,
          segments: 1,
          credits: 1,
        },
      ],
      verifiedAt: null,
      createdAt: otp.createdAt,
    });
  });

  test('takes every field', async () => {
    const recipient = newPhone();
    const otp = otpOf(
      await send({
        to: recipient,
        channels: ['sms', 'chat_cloud', 'chat_qr'],
        deliveryMode: 'all',
        chatFrom: '15550000001',
        sender: 'ACME',
        cloudTemplate: TEMPLATE,
        length: 8,
        expiresIn: 90,
        template: 'Code {{code}}, {{minutes}} min',
        autofill: { domain: 'Bücher.example', appHash: null },
        clientIp: '2001:db8::1',
      }),
    );
    expect(otp).toMatchObject({
      status: 'SENT',
      channel: 'SMS',
      channels: ['SMS', 'CHAT_CLOUD', 'CHAT_QR'],
      deliveryMode: 'ALL',
      length: 8,
    });
    expect(otp.attempts).toHaveLength(3);
    const { data } = await on.graphql<{ sandboxMessages: { channel: string; text: string }[] }>(
      'query ($to: String!) { sandboxMessages(to: $to) { channel text } }',
      { token: customer.tokens.unified, variables: { to: recipient } },
    );
    const sms = data?.sandboxMessages.find(message => message.channel === 'SMS')?.text;
    expect(sms).toMatch(/^Code [0-9]{8}, 2 min\n\n@xn--bcher-kva\.example #[0-9]{8}$/);
  });

  test('answers one that no channel accepted as data', async () => {
    const otp = otpOf(await send({ to: '+12025550101' }));
    expect(otp).toMatchObject({ status: 'FAILED', channel: null, resendAvailableAt: null });
    expect(otp.attempts).toMatchObject([{ channel: 'SMS', status: 'FAILED' }]);
  });

  test('answers one whose outcome is not known as sent', async () => {
    const otp = otpOf(await send({ to: '+12025550106' }));
    expect(otp).toMatchObject({ status: 'SENT', channel: null, attempts: [{ status: 'UNKNOWN' }] });
  });

  test('says how long the cooldown takes', async () => {
    const recipient = newPhone();
    otpOf(await send({ to: recipient }));
    const { extensions } = onlyError(await send({ to: recipient }));
    expect(extensions).toEqual({ code: 'OTP_COOLDOWN', retryAfter: expect.any(Number) });
    expect(extensions.retryAfter).toBeGreaterThan(0);
    expect(extensions.retryAfter).toBeLessThanOrEqual(60);
  });

  test.each<[string, SendBody, string[]]>([
    ['no recipient', { to: undefined }, ['to']],
    ['a recipient that is no number', { to: 'nobody' }, ['to']],
    ['3 digits', { length: 3 }, ['length']],
    ['11 digits', { length: 11 }, ['length']],
    ['a part of a digit', { length: 4.5 }, ['length']],
    ['59 seconds', { expiresIn: 59 }, ['expiresIn']],
    ['3601 seconds', { expiresIn: 3_601 }, ['expiresIn']],
    ['a template without {{code}}', { template: 'Hello' }, ['template']],
    ['a template with {{name}}', { template: '{{code}} {{name}}' }, ['template']],
    ['a site and an app', { autofill: { domain: 'example.com', appHash: 'FA+9qCX9VSu' } }, ['autofill']],
    ['an address that is none', { clientIp: 'x' }, ['clientIp']],
    ['an unknown channel', { channels: ['fax'] }, ['channels.0']],
    ['components of the caller', { cloudTemplate: { ...TEMPLATE, components: [] } }, ['cloudTemplate.components']],
    ['a code of the caller', { pin: '123456' }, ['pin']],
    ['two faults at once', { length: 3, expiresIn: 1 }, ['length', 'expiresIn']],
  ])('refuses %s', async (_name, fields, names) => {
    const { extensions } = onlyError(await send({ to: newPhone(), ...fields }));
    expect(extensions.code).toBe('INVALID_INPUT');
    expect(extensions.errors?.map(fault => fault.field)).toEqual(names);
  });

  test('sends by SMS for a token of the area otp', async () => {
    expect(otpOf(await send({ to: newPhone() }, customer.tokens.otp)).attempts).toMatchObject([{ channel: 'SMS' }]);
  });

  test('refuses another channel to a token of the area otp', async () => {
    const body = { to: newPhone(), channels: ['chat_qr'], chatFrom: '15550000001' };
    expect(onlyError(await send(body, customer.tokens.otp)).extensions).toEqual({ code: 'WRONG_AREA' });
  });

  test('sends for an operator who names the account', async () => {
    const answer = await send({ to: newPhone() }, OPERATOR_TOKEN, { 'x-account-id': customer.accountId });
    expect(otpOf(answer).status).toBe('SENT');
  });
});

describe.each([
  ['sendOtp', SEND_OTP, { to: '+12025550100' }],
  ['resendOtp', RESEND_OTP, { pinId: 'pin_5f1d7a84c3b24e0f9a6d2c1b8e7f4a30' }],
  ['verifyOtp', VERIFY_OTP, { pinId: 'pin_5f1d7a84c3b24e0f9a6d2c1b8e7f4a30', pin: '123456' }],
] as const)('%s', (_name, query, input) => {
  test.each(['sms', 'management'] as const)(
    'refuses a token of the area %s without a word about the input',
    async area => {
      const faulty = Object.fromEntries(Object.keys(input).map(name => [name, '']));
      expect(onlyError(await ask(query, faulty, customer.tokens[area])).extensions).toEqual({ code: 'WRONG_AREA' });
    },
  );

  test.each([
    ['no token', null],
    ['a token that never was', 'hg_otp_0123456789'],
  ])('refuses %s without a word about the input', async (_what, token) => {
    for (const given of [input, {}, { ...input, colour: 'red' }]) {
      expect(onlyError(await ask(query, given, token)).extensions).toEqual({ code: 'UNAUTHENTICATED' });
    }
  });

  test('asks an operator for the account', async () => {
    const { extensions } = onlyError(await ask(query, input, OPERATOR_TOKEN));
    expect(extensions).toMatchObject({ code: 'INVALID_INPUT', errors: [{ field: 'X-Account-Id' }] });
  });
});

test('the type of a passcode shows no code, no text and no template', () => {
  const fields = Object.keys(Object(on.app.schema.getType('Otp')).getFields());
  expect(fields.sort()).toEqual(
    'id pinId recipient status channel channels deliveryMode fallbackAfter successStatus length expiresAt resendAvailableAt resends attemptsRemaining attempts timeline verifiedAt createdAt'
      .split(' ')
      .sort(),
  );
});
