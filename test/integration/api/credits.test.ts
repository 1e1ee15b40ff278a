import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { problem } from '../../../src/rest/schemas.ts';
import { setUpApp, setUpCustomer } from '../../support/fixtures.ts';
import { SMS } from '../../support/messaging/send-cases.ts';
import { newRecipient } from '../../support/otp/pins.ts';

const on = setUpApp();
const poor = setUpCustomer(on, { credits: 0 });

const TOLD = 'The balance of the account has too few credits for this SMS. Top it up and send again.';

const PATHS = [
  ['/api/omni/send', 'unified', () => SMS],
  ['/api/sms/send', 'sms', () => SMS],
  ['/api/omni/otp/send', 'unified', () => ({ to: `+${newRecipient()}`, channels: ['sms'] })],
  ['/api/sms/otp/send', 'otp', () => ({ to: `+${newRecipient()}` })],
] as const;

describe.each(PATHS)('POST %s without credits', (path, area, body) => {
  test('is refused with exactly this problem', async () => {
    const answer = await on.rest('POST', path, { token: poor.tokens[area], body: body() });
    expect(answer.status).toBe(402);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('retry-after')).toBeNull();
    expect(problem.safeParse(answer.body).error).toBeUndefined();
    expect(answer.body).toEqual({
      success: false,
      message: TOLD,
      type: 'urn:heliograph:problem:insufficient_balance',
      title: 'Not enough credits',
      status: 402,
      detail: TOLD,
      code: 'insufficient_balance',
      requestId: answer.headers.get('x-request-id'),
    });
  });
});

describe('a daily spend cap that is reached', () => {
  test('is told with the time at which it begins anew', async () => {
    const capped = await on.customer();
    await on.sql('update accounts set daily_spend_cap = 0 where id = $1', [toUuid(capped.accountId)]);
    const answer = await on.rest('POST', '/api/omni/send', { token: capped.tokens.unified, body: SMS });
    expect([answer.status, answer.body.code]).toEqual([402, 'insufficient_balance']);
    expect(answer.headers.get('retry-after')).toBe(String(answer.body.retryAfter));
    expect(answer.body.retryAfter).toBeGreaterThan(0);
    expect(answer.body.retryAfter).toBeLessThanOrEqual(86_400);
  });
});

describe('GraphQL without credits', () => {
  test.each([
    [
      'sendMessage',
      'mutation ($to: String!) { sendMessage(input: { to: $to, text: "Hello", channels: [SMS], sender: "ACME" }) { messageId } }',
    ],
    ['sendOtp', 'mutation ($to: String!) { sendOtp(input: { to: $to, channels: [SMS] }) { pinId } }'],
  ])('%s is refused with INSUFFICIENT_BALANCE', async (_field, query) => {
    const variables = { to: `+${newRecipient()}` };
    const { data, errors } = await on.graphql(query, { token: poor.tokens.unified, variables });
    expect(data).toBeNull();
    expect(errors).toEqual([
      expect.objectContaining({ message: TOLD, extensions: expect.objectContaining({ code: 'INSUFFICIENT_BALANCE' }) }),
    ]);
  });

  test('a message of which only the SMS cannot be paid is no error', async () => {
    const { data } = await on.graphql<{ sendMessage: unknown }>(
      `mutation { sendMessage(input: { to: "+12125550177", text: "Hello", channels: [SMS, CHAT_QR], sender: "ACME",
         chatFrom: "15550000001" }) { status channel attempts { channel status errorCode credits } } }`,
      { token: poor.tokens.unified },
    );
    expect(data?.sendMessage).toEqual({
      status: 'SENT',
      channel: 'CHAT_QR',
      attempts: [
        { channel: 'SMS', status: 'FAILED', errorCode: 'insufficient_balance', credits: 0 },
        { channel: 'CHAT_QR', status: 'SENT', errorCode: null, credits: 0 },
      ],
    });
  });
});
