import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { otpData, smsOtpData } from '../../../../src/rest/schemas.ts';
import type { Customer, RestAnswer } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { TEMPLATE } from '../../../support/messaging/send-cases.ts';
import { newPhone } from '../../../support/otp/pins.ts';
import { arrivedText, OTP_AREAS, type OtpArea, otpPath, verifyPin } from '../../../support/otp/rest-calls.ts';
import { expectProblem, PROBLEM_MEMBERS } from '../../../support/problems.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

type Body = Readonly<Record<string, unknown>>;

const EVERY_CHANNEL = { chatFrom: '15550000001', cloudTemplate: TEMPLATE, sender: 'ACME' };

function send(body: unknown, area: OtpArea = 'unified', of: Customer = customer): Promise<RestAnswer> {
  return on.rest('POST', otpPath(area, 'send'), { token: of.tokens[area], body });
}

describe('a passcode that is sent', () => {
  test('is answered with the documented envelope and data, in their order', async () => {
    const recipient = newPhone();
    const { status, headers, text, body } = await send({ to: recipient });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Object.keys(JSON.parse(text))).toEqual(['success', 'message', 'data']);
    const keys = 'pinId recipient status channel expiresAt resendAvailableAt attempts'.split(' ');
    expect(Object.keys(body.data ?? {})).toEqual(keys);
    const data = otpData.parse(body.data);
    const attemptKeys =
      'attemptId channel provider status errorCode errorMessage segments credits startedAt finishedAt'.split(' ');
    expect(data.attempts.map(attempt => Object.keys(attempt))).toEqual([attemptKeys]);
    expect(data).toMatchObject({
      pinId: expect.stringMatching(/^pin_[0-9a-f]{32}$/),
      recipient: recipient.slice(1),
      status: 'sent',
      channel: 'sms',
      attempts: [{ channel: 'sms', provider: 'sandbox', status: 'sent', errorCode: null, segments: 1, credits: 1 }],
    });
  });

  test('ends after 300 s and may be sent again after 60 s', async () => {
    const { body } = await send({ to: newPhone() });
    const { expiresAt, resendAvailableAt } = otpData.parse(body.data);
    expect(Date.parse(expiresAt) - Date.parse(resendAvailableAt ?? '')).toBe(240_000);
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 300_000)).toBeLessThan(30_000);
  });

  test.each(OTP_AREAS)('shows nothing of its code, with a token of the area %s', async area => {
    const recipient = newPhone();
    const { text } = await send({ to: recipient }, area);
    const code = /[0-9]{6}/.exec(await arrivedText(on, customer, recipient))?.[0] ?? '';
    expect(JSON.stringify(JSON.parse(text), (key, value) => (key === 'pinId' ? undefined : value))).not.toContain(code);
    expect(text).not.toMatch(/expires in|template|nonce|mac/i);
  });

  test.each<[Body, object, string[]]>([
    [{ fallbackAfter: 15 }, { fallback_after: 15, success_status: 'delivered' }, ['delivered']],
    [{ fallbackAfter: 3_600, successStatus: 'read' }, { fallback_after: 3_600, success_status: 'read' }, ['read']],
    [{ fallbackAfter: null, successStatus: null }, { fallback_after: null, success_status: null }, []],
  ])('with %j waits for as long, and for that status', async (fields, stored, waits) => {
    const { status, body } = await send({ to: newPhone(), ...EVERY_CHANNEL, ...fields });
    expect(status).toBe(200);
    const pin = [toUuid(String(body.data?.pinId))];
    expect(await on.sql('select fallback_after, success_status from otps where id = $1', pin)).toEqual([stored]);
    const rows = await on.sql<{ wanted: string }>('select wanted from follow_ups where send_id = $1', pin);
    expect(rows.map(({ wanted }) => wanted)).toEqual(waits);
  });

  test('by SMS alone is followed by nothing, whatever its body says', async () => {
    const { status, body } = await send({ to: newPhone(), fallbackAfter: 'soon', successStatus: 7 }, 'otp');
    expect(status).toBe(200);
    const pin = [toUuid(String(body.data?.pinId))];
    expect(await on.sql('select fallback_after, success_status from otps where id = $1', pin)).toEqual([
      { fallback_after: null, success_status: null },
    ]);
  });

  test('carries the default text', async () => {
    const recipient = newPhone();
    await send({ to: recipient });
    expect(await arrivedText(on, customer, recipient)).toMatch(
      /^Your verification code is [0-9]{6}\. It expires in 5 minutes\.$/,
    );
  });

  test.each([
    [4, 60, 1],
    [10, 3_600, 60],
    [6, 61, 2],
  ])('has %i digits and %i seconds, told as %i minutes', async (length, expiresIn, minutes) => {
    const recipient = newPhone();
    const template = '{{code}} for {{minutes}} minutes, {{code}}';
    const { status } = await send({ to: recipient, length, expiresIn, template });
    expect(status).toBe(200);
    const text = await arrivedText(on, customer, recipient);
    const [code = ''] = text.split(' ');
    expect(code).toMatch(new RegExp(`^[0-9]{${length}}$`));
    expect(text).toBe(`${code} for ${minutes} minutes, ${code}`);
  });

  test.each([
    [{ domain: 'Example.com' }, /\n\n@example\.com #[0-9]{6}$/],
    [{ appHash: 'FA+9qCX9VSu' }, /\n\nFA\+9qCX9VSu$/],
    [{ domain: null, appHash: 'FA+9qCX9VSu' }, /\n\nFA\+9qCX9VSu$/],
  ])('ends with the line of the autofill %j', async (autofill, ending) => {
    const recipient = newPhone();
    const { status } = await send({ to: recipient, autofill });
    expect(status).toBe(200);
    expect(await arrivedText(on, customer, recipient)).toMatch(ending);
  });

  test('is the same code over every channel', async () => {
    const recipient = newPhone();
    const { body } = await send({ ...EVERY_CHANNEL, to: recipient, deliveryMode: 'all' });
    expect(otpData.parse(body.data).attempts.map(attempt => `${attempt.channel} ${attempt.status}`)).toEqual([
      'chat_qr sent',
      'chat_cloud sent',
      'sms sent',
    ]);
    const { data } = await on.graphql<{ sandboxMessages: { text: string }[] }>(
      'query ($to: String!) { sandboxMessages(to: $to) { text } }',
      { token: customer.tokens.unified, variables: { to: recipient } },
    );
    expect(data?.sandboxMessages).toHaveLength(3);
    expect(new Set(data?.sandboxMessages.map(({ text }) => text)).size).toBe(1);
  });

  test.each<[Body, string]>([
    [{}, 'sms'],
    [{ sender: 'ACME' }, 'sms'],
    [{ chatFrom: '15550000001' }, 'chat_qr'],
    [{ cloudTemplate: TEMPLATE }, 'chat_cloud'],
    [{ channels: ['sms'], chatFrom: '15550000001' }, 'sms'],
    [{ channels: null, deliveryMode: null, length: null, expiresIn: null, template: null, autofill: null }, 'sms'],
  ])('with %j goes by the channel that it names', async (fields, channel) => {
    const { status, body } = await send({ ...fields, to: newPhone(), clientIp: null });
    expect([status, body.data?.channel]).toEqual([200, channel]);
  });

  test('takes the address of the end user', async () => {
    for (const clientIp of ['203.0.113.7', '2001:db8::1']) {
      expect((await send({ to: newPhone(), clientIp })).status).toBe(200);
    }
  });
});

describe('the magic recipients', () => {
  const CASES: [string, string, string, string | null, string[]][] = [
    ['0100', 'fallback', 'sent', 'chat_qr', ['chat_qr sent']],
    ['0101', 'all', 'sent', 'chat_qr', ['chat_qr sent', 'chat_cloud sent', 'sms failed']],
    ['0102', 'fallback', 'sent', 'chat_cloud', ['chat_qr failed', 'chat_cloud sent']],
    ['0103', 'fallback', 'sent', 'sms', ['chat_qr failed', 'chat_cloud failed', 'sms sent']],
    ['0104', 'fallback', 'failed', null, ['chat_qr failed', 'chat_cloud failed', 'sms failed']],
    ['0104', 'all', 'failed', null, ['chat_qr failed', 'chat_cloud failed', 'sms failed']],
    ['0105', 'fallback', 'sent', 'chat_qr', ['chat_qr sent']],
    ['0106', 'fallback', 'sent', null, ['chat_qr unknown', 'chat_cloud unknown', 'sms unknown']],
    ['0107', 'fallback', 'sent', 'chat_qr', ['chat_qr sent']],
    ['0108', 'fallback', 'sent', 'chat_qr', ['chat_qr sent']],
  ];

  test.each(CASES)('+1 202 555 %s in the mode %s: %s', async (digits, deliveryMode, status, channel, attempts) => {
    const answer = await send({ ...EVERY_CHANNEL, to: `+1202555${digits}`, deliveryMode });
    if (status === 'failed') expectProblem(answer, 502, 'all_channels_failed');
    else expect(answer.status).toBe(200);
    const data = otpData.parse(answer.body.data);
    expect(data).toMatchObject({ recipient: `1202555${digits}`, status, channel });
    expect(data.attempts.map(attempt => `${attempt.channel} ${attempt.status}`)).toEqual(attempts);
    if (status === 'failed') expect(data.resendAvailableAt).toBeNull();
  });

  test('0101 is refused by SMS, with the data beside the members of a problem', async () => {
    const answer = await send({ to: '+12025550101' });
    expectProblem(answer, 502, 'all_channels_failed');
    expect(Object.keys(answer.body)).toEqual([...PROBLEM_MEMBERS, 'data']);
    expect(otpData.parse(answer.body.data)).toMatchObject({
      status: 'failed',
      channel: null,
      attempts: [{ channel: 'sms', status: 'failed', errorCode: 'recipient_refused', credits: 0 }],
    });
  });

  test('0106 may have arrived, so its code can be verified', async () => {
    const { body } = await send({ to: '+12025550106' });
    const { status } = await verifyPin(on, customer, { pinId: body.data?.pinId, pin: '12' });
    expect(status).toBe(400);
  });
});

describe('the SMS path', () => {
  test('answers exactly the documented data', async () => {
    const recipient = newPhone();
    const { status, body, text } = await send({ to: recipient }, 'otp');
    expect(status).toBe(200);
    expect(Object.keys(JSON.parse(text))).toEqual(['success', 'message', 'data']);
    expect(Object.entries(body.data ?? {})).toEqual([
      ['pinId', expect.stringMatching(/^pin_[0-9a-f]{32}$/)],
      ['recipient', recipient.slice(1)],
      ['status', 'sent'],
    ]);
  });

  test('takes the optional fields', async () => {
    const recipient = newPhone();
    const { status } = await send(
      {
        to: recipient,
        channels: ['sms'],
        sender: 'ACME',
        length: 8,
        expiresIn: 120,
        template: 'Code {{code}}',
        autofill: { domain: 'example.com' },
        clientIp: '203.0.113.7',
      },
      'otp',
    );
    expect(status).toBe(200);
    expect(await arrivedText(on, customer, recipient)).toMatch(/^Code [0-9]{8}\n\n@example\.com #[0-9]{8}$/);
  });

  test.each(['0101', '0104'])('answers 502 with the three members where SMS is refused: %s', async digits => {
    const answer = await send({ to: `+1202555${digits}` }, 'otp');
    expectProblem(answer, 502, 'all_channels_failed');
    expect(Object.keys(answer.body)).toEqual([...PROBLEM_MEMBERS, 'data']);
    expect(Object.keys(answer.body.data ?? {})).toEqual(['pinId', 'recipient', 'status']);
    expect(smsOtpData.parse(answer.body.data)).toMatchObject({ recipient: `1202555${digits}`, status: 'failed' });
  });

  test('answers `sent` where the outcome is not known', async () => {
    const { status, body } = await send({ to: '+12025550106' }, 'otp');
    expect([status, body.data?.status]).toEqual([200, 'sent']);
  });

  test.each([[['chat_qr']], [['sms', 'chat_cloud']]])('refuses the channels %j', async channels => {
    expectProblem(await send({ to: newPhone(), channels }, 'otp'), 403, 'wrong_area');
  });

  test.each(['deliveryMode', 'chatFrom', 'cloudTemplate'])('takes no notice of %s', async field => {
    expect((await send({ to: newPhone(), [field]: 'fallback' }, 'otp')).status).toBe(200);
  });

  test('is open while the unified API is off and its plan is over', async () => {
    const off = await on.customer({ unifiedApi: false, planExpiresAt: new Date(Date.now() - 60_000) });
    expect((await send({ to: newPhone() }, 'otp', off)).status).toBe(200);
  });
});
