import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { createConnection } from '../../../src/modules/connections/manage-connections.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import { followSends } from '../../../src/modules/routing/follow-ups/follow-sends.ts';
import { type Customer, createTestApp, type TestApp } from '../../support/app.ts';
import { type HttpGateway, openHttpGateway } from '../../support/connections/http-gateway.ts';
import { createFollowUps } from '../../support/messaging/follow-ups.ts';
import { RESEND_OTP } from '../../support/otp/graphql-calls.ts';
import { OPERATOR } from '../../support/services.ts';
import { type CollectedSpan, type Collector, startCollector } from '../../support/traces/collector.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';

const CALLER = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };
const RECIPIENT = '12025550187';
const TEXT = 'Parcel Zanzibar waits';

let collector: Collector;
let gateway: HttpGateway;
let receiver: Receiver;
let on: TestApp;
let customer: Customer;

/** The ids of what was sent. */
const sent = { message: '', otp: '', graphql: '', followed: '' };

/** Texts that must stand in no span; the tests add those known later. */
const secrets: string[] = [RECIPIENT, 'Zanzibar', 'Ivory', 'gw-1', 'SuperQuery', '5551234567'];

const traceOf = (id: string): string => id.slice(4);
const spansOf = (id: string): CollectedSpan[] => collector.spans.filter(({ traceId }) => traceId === traceOf(id));
const named = (name: string, id: string): CollectedSpan | undefined => spansOf(id).find(span => span.name === name);
const request = (name: string): CollectedSpan | undefined => collector.spans.find(span => span.name === name);
const placeOf = (span: CollectedSpan | undefined): string => `${span?.traceId}/${span?.spanId}`;

async function ask<Data>(query: string, token: string, variables: Record<string, unknown> = {}): Promise<Data> {
  const { data, errors } = await on.graphql<Data>(query, { token, variables });
  if (data === null || errors) throw new Error(JSON.stringify(errors));
  return data;
}

async function sendAll(): Promise<void> {
  const answer = await on.rest('POST', '/api/omni/send', {
    token: customer.tokens.unified,
    headers: { traceparent: `00-${CALLER.trace}-${CALLER.span}-01`, 'x-request-id': '5551234567' },
    body: { to: `+${RECIPIENT}`, text: TEXT, channels: ['sms'], sender: 'ACME', reference: 'Ivory' },
  });
  sent.message = String(answer.body.data?.messageId);
  const { pathname } = new URL(gateway.messages[0]?.receipts ?? '');
  secrets.push(pathname.split('/').at(-1) ?? '');
  await on.rest('GET', `${pathname}?id=gw-1&status=D`);
  const otp = await on.rest('POST', '/api/omni/otp/send', {
    token: customer.tokens.unified,
    body: { to: `+${RECIPIENT}`, channels: ['sms'], sender: 'ACME' },
  });
  sent.otp = String(otp.body.data?.pinId);
  const { sendMessage } = await ask<{ sendMessage: { id: string; messageId: string } }>(
    `mutation SuperQuery($to: String!) { Zanzibar: __typename
      sendMessage(input: { to: $to, text: "${TEXT}", channels: [SMS], sender: "ACME" }) { messageId } }`,
    customer.tokens.unified,
    { to: `+${RECIPIENT}` },
  );
  sent.graphql = sendMessage.messageId;
  await goOn();
}

/** Sends the code once more, and has a message of an account with the sandbox alone followed by its next channel. */
async function goOn(): Promise<void> {
  await on.sql('update otps set resend_available_at = now() where id = $1', [toUuid(sent.otp)]);
  await ask(RESEND_OTP, customer.tokens.unified, { input: { pinId: sent.otp } });
  const other = await on.customer();
  const { body } = await on.rest('POST', '/api/omni/send', {
    token: other.tokens.unified,
    body: {
      ...{ to: `+${RECIPIENT}`, text: TEXT, channels: ['chat_qr', 'sms'], chatFrom: '15550000001', sender: 'ACME' },
      ...{ fallbackAfter: 30, successStatus: 'read' },
    },
  });
  sent.followed = String(body.data?.messageId);
  await createFollowUps(on).comeDue(sent.followed);
  await followSends(on.app.makeCtx(OPERATOR, 'test'), MESSAGE);
}

beforeAll(async () => {
  [collector, gateway, receiver] = await Promise.all([startCollector(), openHttpGateway(), startReceiver()]);
  on = await createTestApp({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  });
  await on.app.start();
  customer = await on.customer();
  await createConnection(on.app.makeCtx(OPERATOR, 'test'), {
    accountId: customer.accountId,
    provider: 'http-sms',
    channel: 'sms',
    name: 'Carrier',
    config: { ...gateway.config },
  });
  await on.app.services.providers.refresh();
  const { createWebhookEndpoint } = await ask<{ createWebhookEndpoint: { secret: string } }>(
    `mutation ($url: String!) {
      createWebhookEndpoint(input: { url: $url, events: [MESSAGE_SENT, OTP_SENT] }) { secret }
    }`,
    customer.tokens.management,
    { url: `${receiver.url}?key=Ivory` },
  );
  secrets.push(createWebhookEndpoint.secret);
  await sendAll();
  await receiver.hasReceived(3);
  secrets.push(...gateway.messages.flatMap(({ text }) => text.match(/\d{4,}/g) ?? []));
  await on.app.stop();
});
afterAll(async () => {
  await on.close();
  await Promise.all([collector.close(), gateway.close(), receiver.close()]);
});

describe('the trace of a send', () => {
  test('has the id of the send, and begins with it', () => {
    expect(named('send message', sent.message)).toMatchObject({
      parentSpanId: '',
      attributes: {
        'heliograph.send_id': sent.message,
        'heliograph.account_id': customer.accountId,
        'heliograph.channels': ['sms'],
        'heliograph.delivery_mode': 'fallback',
        'heliograph.status': 'sent',
      },
    });
    expect(named('send otp', sent.otp)?.attributes['heliograph.send_id']).toBe(sent.otp);
  });

  test('has the group, the attempt, its end, the receipt and the webhook below the send', () => {
    const root = named('send message', sent.message)?.spanId;
    const parts = spansOf(sent.message).filter(({ spanId }) => spanId !== root);
    expect(parts.map(({ name }) => name).sort()).toEqual([
      'accept',
      'attempt sms',
      'receipt',
      'settle',
      'webhook message.sent',
    ]);
    expect(parts.map(({ parentSpanId }) => parentSpanId)).toEqual(parts.map(() => root));
  });

  test('tells of an attempt by which connection it went, and what became of it', () => {
    expect(named('attempt sms', sent.message)).toMatchObject({
      kind: 3,
      attributes: {
        'heliograph.channel': 'sms',
        'heliograph.provider': 'http-sms',
        'heliograph.connection_id': expect.stringMatching(/^con_/),
        'heliograph.country': 'US',
        'heliograph.status': 'sent',
      },
    });
  });

  test('is linked with the request that it came of, and that with it', () => {
    const [root, served] = [named('send message', sent.message), request('POST /api/omni/send')];
    expect(root?.links).toEqual([placeOf(served)]);
    expect(served?.links).toEqual([placeOf(root)]);
  });

  test('is linked with the request that brought the receipt', () => {
    expect(named('receipt', sent.message)).toMatchObject({
      links: [placeOf(request('GET /receipts/:connectionId/:token'))],
      attributes: { 'heliograph.status': 'delivered', 'heliograph.result': 'raised' },
    });
  });

  test('goes on at the endpoint of a webhook', () => {
    const told = receiver.received.find(({ body }) => body.includes(sent.message));
    const span = named('webhook message.sent', sent.message);
    expect(told?.headers.traceparent).toBe(`00-${traceOf(sent.message)}-${span?.spanId}-01`);
    expect(span).toMatchObject({ kind: 3, attributes: { 'http.response.status_code': 200 } });
  });
});

test('the trace of a passcode has each resend, linked with its request', () => {
  const again = named('resend otp', sent.otp);
  expect(again).toMatchObject({
    parentSpanId: named('send otp', sent.otp)?.spanId,
    links: [placeOf(request('mutation resendOtp'))],
    attributes: { 'heliograph.send_id': sent.otp, 'heliograph.status': 'sent' },
  });
  const attempts = spansOf(sent.otp).filter(({ name }) => name === 'attempt sms');
  expect(attempts.map(({ attributes }) => attributes['heliograph.resend']).sort()).toEqual([0, 1]);
});

test('the trace of a message has the channel that followed when its time was over', () => {
  const [first, second] = ['attempt chat_qr', 'attempt sms'].map(name => named(name, sent.followed));
  const root = named('send message', sent.followed);
  expect([first?.parentSpanId, second?.parentSpanId]).toEqual([root?.spanId, root?.spanId]);
  expect(second).toMatchObject({ attributes: { 'heliograph.provider': 'sandbox', 'heliograph.status': 'sent' } });
});

describe('the span of a request', () => {
  test('goes on with the trace of the caller', () => {
    expect(request('POST /api/omni/send')).toMatchObject({
      traceId: CALLER.trace,
      parentSpanId: CALLER.span,
      kind: 2,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/omni/send',
        'http.response.status_code': 200,
      },
      resource: { 'service.name': 'heliograph' },
    });
  });

  test('has the names of GraphQL, and none of its writer', () => {
    expect(request('mutation __typename')).toMatchObject({
      attributes: { 'graphql.operation.type': 'mutation', 'heliograph.fields': ['__typename', 'sendMessage'] },
      links: [placeOf(named('send message', sent.graphql))],
    });
  });
});

test('no span holds a number, a text, a code, a secret or a word of a caller', () => {
  const all = collector.bodies.join('\n');
  // A time or an id may have the digits of a code by chance.
  const holds = (secret: string) =>
    /^\d{4,6}$/.test(secret) ? new RegExp(`(?<![0-9a-f])${secret}(?![0-9a-f])`).test(all) : all.includes(secret);
  expect(secrets.filter(secret => secret === '' || holds(secret))).toEqual([]);
  expect(secrets.length).toBeGreaterThan(8);
});

test('a request to a provider carries no trace', () => {
  expect(gateway.headers.filter(headers => 'traceparent' in headers)).toEqual([]);
});
