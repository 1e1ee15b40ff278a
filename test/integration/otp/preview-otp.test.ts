import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { createConnection } from '../../../src/modules/connections/manage-connections.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { OPERATOR } from '../../support/services.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);

const PREVIEW = `query ($input: SendOtpInput!) {
  previewOtp(input: $input) {
    recipient smsText encoding segments credits costly { character replacement }
    legs { channel from sentBy sandboxReason connections { name verdict } }
  }
}`;

const preview = (input: object = {}, token: string = customer.tokens.unified) =>
  on.graphql<{ previewOtp: unknown }>(PREVIEW, { token, variables: { input: { to: '+49 151 23456789', ...input } } });

describe('the preview of an OTP', () => {
  test('shows the SMS with zeros for its code, from the default sender', async () => {
    const { data } = await preview({ length: 4, expiresIn: 90, autofill: { domain: 'example.com' } });
    expect(data?.previewOtp).toEqual({
      recipient: '4915123456789',
      smsText: 'Your verification code is 0000. It expires in 2 minutes.\n\n@example.com #0000',
      encoding: 'GSM7',
      segments: 1,
      credits: 1,
      costly: [],
      legs: [
        {
          channel: 'SMS',
          from: 'ACME',
          sentBy: 'SANDBOX',
          sandboxReason: 'The sandbox takes it: the account has no connection, and none is shared.',
          connections: [],
        },
      ],
    });
  });

  test('is from a sender that is approved where the default one is not', async () => {
    const own = await on.customer({
      senders: [
        { channel: 'sms', address: 'WAITING', approved: false, isDefault: true },
        { channel: 'sms', address: 'READY' },
      ],
    });
    const { data } = await preview({}, own.tokens.unified);
    expect(data?.previewOtp).toMatchObject({ legs: [{ from: 'READY' }] });
  });

  test('names the characters that cost, as the encoding of passcodes leaves them', async () => {
    const encoded = await preview({ template: 'It’s {{code}}' });
    expect(encoded.data?.previewOtp).toMatchObject({ smsText: "It's 000000", encoding: 'GSM7', costly: [] });
    const emoji = await preview({ template: 'It’s {{code}} 🔑' });
    const costly = [
      { character: '’', replacement: "'" },
      { character: '🔑', replacement: null },
    ];
    expect(emoji.data?.previewOtp).toMatchObject({ encoding: 'UCS2', costly });
  });

  test('names the connections that passcodes would take', async () => {
    const ctx = on.app.makeCtx(OPERATOR, 'test');
    for (const purpose of ['message', 'otp'] as const)
      await createConnection(ctx, {
        accountId: customer.accountId,
        provider: 'http-sms',
        channel: 'sms',
        name: `for-${purpose}`,
        config: { request: { url: 'http://127.0.0.1:9/send' } },
        purposes: [purpose],
      });
    await on.app.services.providers.refresh();
    const { data } = await preview();
    const connections = [
      { name: 'for-otp', verdict: 'FIRST' },
      { name: 'for-message', verdict: 'PURPOSE' },
    ];
    expect(data?.previewOtp).toMatchObject({ legs: [{ sentBy: 'ACCOUNT', connections }] });
  });

  test('refuses what the send would refuse, and makes no code', async () => {
    const { errors } = await preview({ template: 'without a code' });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_INPUT', errors: [{ field: 'template' }] });
    await preview();
    expect(await on.sql('select id from otps where account_id = $1', [toUuid(customer.accountId)])).toEqual([]);
  });

  test('is closed to other areas', async () => {
    const { errors } = await preview({}, customer.tokens.sms);
    expect(errors?.[0]?.extensions.code).toBe('WRONG_AREA');
  });
});
