import { describe, expect, test } from 'vitest';
import { messageData } from '../../../../src/modules/answers/message.data.ts';
import type { RestAnswer } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { SEND_PATH, sendsOf } from '../../../support/messaging/rest-sends.ts';
import {
  EVERY_CHANNEL,
  INVALID_SENDS,
  MAGIC_SENDS,
  type SendBody,
  SMS,
} from '../../../support/messaging/send-cases.ts';
import { expectProblem } from '../../../support/problems.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

const { send, countRows } = sendsOf(on, customer);

describe('a send that is accepted', () => {
  test('is answered with the documented envelope and data, in their order', async () => {
    const { status, body, headers, text } = await send({ ...SMS, reference: 'shape' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
    expect(headers.get('idempotency-replayed')).toBeNull();
    expect(Object.keys(JSON.parse(text))).toEqual(['success', 'message', 'data']);
    const data = messageData.parse(body.data);
    const keys = 'messageId reference recipient status deliveryMode channel segments attempts createdAt'.split(' ');
    expect(Object.keys(body.data ?? {})).toEqual(keys);
    const attemptKeys =
      'attemptId channel provider status errorCode errorMessage segments credits startedAt finishedAt'.split(' ');
    expect(Object.keys(data.attempts[0] ?? {})).toEqual(attemptKeys);
    expect(data).toMatchObject({
      messageId: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      reference: 'shape',
      recipient: '12025550100',
      status: 'sent',
      deliveryMode: 'fallback',
      channel: 'sms',
      segments: 1,
      attempts: [{ channel: 'sms', provider: 'sandbox', status: 'sent', errorCode: null, segments: 1, credits: 1 }],
    });
  });

  test('echoes a request id that is a plain word', async () => {
    const { headers } = await send(SMS, { 'x-request-id': 'my-id.1' });
    expect(headers.get('x-request-id')).toBe('my-id.1');
  });

  test('gives a request id of its own for one that is not', async () => {
    const { headers } = await send(SMS, { 'x-request-id': 'a b<script>' });
    expect(headers.get('x-request-id')).toMatch(/^req_/);
  });

  test.each(['+12025550100', '12025550100', '+1 (202) 555-0100', '0012025550100', ' +1.202.555.0100 '])(
    'takes the recipient written as %j',
    async to => {
      const { body } = await send({ ...SMS, to });
      expect(body.data).toMatchObject({ recipient: '12025550100' });
    },
  );

  test.each([
    ['one character', 'a', 1],
    ['1,530 characters, ten segments', 'a'.repeat(1_530), 10],
    ['670 characters in UCS-2, ten segments', 'ш'.repeat(670), 10],
  ])('carries %s by SMS', async (_name, text, segments) => {
    const { status, body } = await send({ ...SMS, text });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ segments, attempts: [{ segments, credits: segments }] });
  });

  test.each(['+1 (555) 000-0001', '1.555.000.0001'])('knows a QR sender as people write it: %s', async chatFrom => {
    const { status, body } = await send({ to: SMS.to, text: 'Hello', chatFrom });
    expect([status, body.data?.channel]).toEqual([200, 'chat_qr']);
  });

  test.each([
    ['1,600 characters', 'a'.repeat(1_600)],
    ['1,600 characters of two units each', '😀'.repeat(1_600)],
  ])('carries %s by chat', async (_name, text) => {
    const { status, body } = await send({ to: SMS.to, text, chatFrom: '15550000001' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ channel: 'chat_qr', attempts: [{ segments: 0, credits: 0 }] });
  });

  test('over the channels whose fields are present, in the documented order', async () => {
    const { body } = await send({ ...EVERY_CHANNEL, to: '12025550104', deliveryMode: 'all' });
    const { attempts } = messageData.parse(body.data);
    expect(attempts.map(attempt => attempt.channel)).toEqual(['chat_qr', 'chat_cloud', 'sms']);
  });

  test('tries the channels in the order of the request', async () => {
    const channels = ['sms', 'chat_cloud', 'chat_qr'];
    const { body } = await send({ ...EVERY_CHANNEL, to: '12025550104', channels });
    expect(messageData.parse(body.data).attempts.map(attempt => attempt.channel)).toEqual(channels);
  });

  test('treats null like an absent field', async () => {
    const { status } = await send({ ...SMS, channels: null, deliveryMode: null, chatFrom: null, reference: null });
    expect(status).toBe(200);
  });
});

describe('the magic recipients', () => {
  test.concurrent.each(MAGIC_SENDS)('$to in the mode $mode', async ({ to, mode, status, channel, attempts }) => {
    const answer = await send({ ...EVERY_CHANNEL, to, deliveryMode: mode });
    if (status === 'failed') expectProblem(answer, 502, 'all_channels_failed');
    else expect(answer.status).toBe(200);
    const data = messageData.parse(answer.body.data);
    expect(data).toMatchObject({ recipient: to, status, channel, deliveryMode: mode });
    expect(data.attempts.map(attempt => `${attempt.channel} ${attempt.status}`)).toEqual(attempts);
    const paid = data.attempts.filter(attempt => attempt.credits > 0);
    expect(paid.every(attempt => attempt.channel === 'sms' && attempt.status === 'sent')).toBe(true);
  });
});

describe('a send that is refused', () => {
  test.each(INVALID_SENDS)('for $name', async ({ body, fields }) => {
    const strict = await on.customer();
    const answer = await send({ ...body }, {}, strict);
    expectProblem(answer, 400, 'invalid_input');
    expect(answer.body.errors?.map(error => error.field)).toEqual(fields);
    await expect(countRows(strict)).resolves.toBe(0);
  });

  test('says what is missing and what is of another type', async () => {
    const { body } = await send({ to: 5, channels: 'sms' });
    expect(body.errors).toEqual([
      { field: 'to', message: 'must be a string' },
      { field: 'text', message: 'is required' },
      { field: 'channels', message: 'must be an array' },
    ]);
  });

  test.each([
    ['a body that is no JSON', '{"to":', 'invalid_json'],
    ['an empty body', '', 'invalid_json'],
    ['a body nested 33 deep', `${'['.repeat(33)}${']'.repeat(33)}`, 'invalid_json'],
    ['a body nested 30,000 deep', '['.repeat(30_000), 'invalid_json'],
    ['a list', '[]', 'invalid_input'],
    ['a word', '"to"', 'invalid_input'],
    ['null', 'null', 'invalid_input'],
  ])('for %s', async (_name, body, code) => {
    expectProblem(await on.rest('POST', SEND_PATH, { token: customer.tokens.unified, body }), 400, code);
  });

  test('for a body that is not UTF-8', async () => {
    const body = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    expectProblem(await on.rest('POST', SEND_PATH, { token: customer.tokens.unified, body }), 400, 'invalid_json');
  });

  test.each([
    ['no token', null],
    ['a token that never was', 'hg_uni_0123456789'],
    ['a header that is no bearer token', 'a b'],
  ])('with %s', async (_name, token) => {
    const answer = await on.rest('POST', SEND_PATH, { token, body: SMS });
    expectProblem(answer, 401, 'unauthenticated');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('without a token before anything is said about the body', async () => {
    expectProblem(await on.rest('POST', SEND_PATH, { body: '{' }), 401, 'unauthenticated');
  });

  test('while the unified API is off before anything is said about the body', async () => {
    const { tokens } = await on.customer({ unifiedApi: false });
    expectProblem(await on.rest('POST', SEND_PATH, { token: tokens.unified, body: '{' }), 403, 'unified_api_disabled');
  });

  test.each<[string, SendBody]>([
    ["an SMS sender that is not the account's", { ...SMS, sender: 'OTHER' }],
    ['an SMS sender that is not approved', { ...SMS, sender: 'WAITING' }],
    ["a QR sender that is not the account's", { to: SMS.to, text: 'Hello', chatFrom: '15550000009' }],
    ['a QR sender that only holds the digits of one', { to: SMS.to, text: 'Hello', chatFrom: 'x15550000001' }],
    ['a QR sender with two signs', { to: SMS.to, text: 'Hello', chatFrom: '++15550000001' }],
    ['a cloud number that is not there', { to: SMS.to, text: 'Hello', cloudTemplate: { name: 'a', language: 'en' } }],
  ])('for %s', async (_name, body) => {
    const few = await on.customer({
      senders: [
        { channel: 'sms', address: 'ACME' },
        { channel: 'sms', address: 'WAITING', approved: false },
      ],
    });
    expectProblem(await send(body, {}, few), 403, 'sender_not_approved');
    await expect(countRows(few)).resolves.toBe(0);
  });

  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('by %s', async method => {
    const answer = await on.rest(method, SEND_PATH, { token: customer.tokens.unified });
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe('POST');
  });

  test.each<[string, Record<string, string>]>([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a multipart form', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['plain text', { 'content-type': 'text/plain' }],
    ['no type', { 'content-type': '' }],
    ['another charset', { 'content-type': 'application/json; version=1; charset=latin1' }],
    ['a compressed body', { 'content-encoding': 'gzip' }],
  ])('as %s', async (_name, headers) => {
    expectProblem(await send(SMS, headers), 415, 'unsupported_media_type');
  });

  test.each(['charset=UTF-8', 'charset=utf8', 'Charset="utf-8"', 'version=1', 'charset=utf-8; version=1', ''])(
    'takes JSON with the parameters: %s',
    async parameters => {
      const { status } = await send(SMS, { 'content-type': `application/json; ${parameters}` });
      expect(status).toBe(200);
    },
  );
});

describe('the SMS path', () => {
  const sendSms = (body: SendBody): Promise<RestAnswer> =>
    on.rest('POST', '/api/sms/send', { token: customer.tokens.sms, body });

  test('sends by SMS', async () => {
    const { status, body } = await sendSms(SMS);
    expect(status).toBe(200);
    expect(messageData.parse(body.data)).toMatchObject({ status: 'sent', channel: 'sms' });
  });

  test('takes SMS where no channel is named, whatever fields are there', async () => {
    const { body } = await sendSms(EVERY_CHANNEL);
    expect(messageData.parse(body.data).attempts.map(attempt => attempt.channel)).toEqual(['sms']);
  });

  test('answers 502 with the data where SMS is refused', async () => {
    const answer = await sendSms({ ...SMS, to: '12025550101' });
    expectProblem(answer, 502, 'all_channels_failed');
    expect(messageData.parse(answer.body.data)).toMatchObject({
      status: 'failed',
      channel: null,
      attempts: [{ status: 'failed', errorCode: 'recipient_refused', credits: 0 }],
    });
  });

  test('needs a sender', async () => {
    const answer = await sendSms({ to: SMS.to, text: 'Hello' });
    expectProblem(answer, 400, 'invalid_input');
    expect(answer.body.errors?.map(error => error.field)).toEqual(['sender']);
  });

  test('refuses another channel', async () => {
    expectProblem(await sendSms({ ...EVERY_CHANNEL, channels: ['chat_qr'] }), 403, 'wrong_area');
  });

  test('is open while the unified API is off and its plan is over', async () => {
    const off = await on.customer({ unifiedApi: false, planExpiresAt: new Date(Date.now() - 60_000) });
    const { status } = await on.rest('POST', '/api/sms/send', { token: off.tokens.sms, body: SMS });
    expect(status).toBe(200);
  });
});

describe('an error that nobody expected', () => {
  // Every reply is checked for stacks, SQL, hosts and paths when the application is closed.
  test('is masked', async () => {
    await on.sql('alter table idempotency_keys rename to elsewhere');
    const answer = await send({ ...SMS, reference: 'unexpected' });
    await on.sql('alter table elsewhere rename to idempotency_keys');
    expectProblem(answer, 500, 'internal_error');
  });
});
