import { beforeEach, describe, expect, test } from 'vitest';
import type { Ctx } from '../../../../src/context.ts';
import { newId, toUuid } from '../../../../src/kernel/ids.ts';
import { sendMessage } from '../../../../src/modules/messaging/send-message.ts';
import { sendOtp } from '../../../../src/modules/otp/send/send-otp.ts';
import { verifyOtp } from '../../../../src/modules/otp/verify/verify-otp.ts';
import { listWebhookDeliveries, loadBodies } from '../../../../src/modules/webhooks/deliveries/list-deliveries.ts';
import { findDueEndpoints } from '../../../../src/modules/webhooks/deliveries/take-endpoints.ts';
import { testWebhookEndpoint, triggerWebhookEvent } from '../../../../src/modules/webhooks/endpoints/test-endpoint.ts';
import {
  sampleData,
  WEBHOOK_EVENTS,
  type WebhookEventName,
} from '../../../../src/modules/webhooks/events/webhook-events.ts';
import { verifyWebhook } from '../../../../src/modules/webhooks/signatures/webhook-signature.ts';
import { setUpAccount, setUpServices } from '../../../support/fixtures.ts';
import { makeAccount } from '../../../support/services.ts';
import { type Receiver, startReceiver } from '../../../support/webhooks/receiver.ts';
import {
  makeEndpoint,
  storedDeliveries,
  storedEvents,
  type TestEndpoint,
} from '../../../support/webhooks/stored-webhooks.ts';

const t = setUpServices();
const account = setUpAccount(t);
let receiver: Receiver;
let endpoint: TestEndpoint;

beforeEach(async () => {
  receiver = await startReceiver();
  endpoint = await makeEndpoint(t, account.accountId, { url: receiver.url, events: ['otp.sent', 'message.sent'] });
  return () => receiver.close();
});

const manage = (): Ctx => t.ctxFor(account.actor('management'));

const run = (ctx = manage(), event?: WebhookEventName) =>
  testWebhookEndpoint(ctx, { endpointId: endpoint.endpointId, ...(event && { event }) });

async function endpointRow(): Promise<Record<string, unknown>> {
  const [row] = await t.sql<Record<string, unknown>>('select * from webhook_endpoints where id = $1', [
    toUuid(endpoint.endpointId),
  ]);
  return row ?? {};
}

const set = (columns: string) =>
  t.sql(`update webhook_endpoints set ${columns} where id = $1`, [toUuid(endpoint.endpointId)]);

describe('a test of an endpoint', () => {
  test('answers what the endpoint answered', async () => {
    receiver.answer = (_request, response) => response.writeHead(202).end('thank you');
    expect(await run()).toMatchObject({
      endpointId: endpoint.endpointId,
      number: 1,
      httpStatus: 202,
      error: null,
      errorMessage: null,
      response: 'thank you',
      durationMs: expect.any(Number),
    });
  });

  test('is signed, and says that it is a test', async () => {
    await run();
    const [request] = receiver.received;
    const event = verifyWebhook(request?.headers ?? {}, request?.body ?? '', endpoint.secret);
    expect(event).toMatchObject({ event: 'otp.sent', accountId: account.accountId, data: { test: true } });
  });

  test('is of the event that is asked for, whether or not the endpoint subscribes to it', async () => {
    await run(manage(), 'sms.failed');
    expect(receiver.received[0]?.headers['x-service-event']).toBe('sms.failed');
  });

  test('is in the list of deliveries, with the body that was sent', async () => {
    const { deliveryId } = await run();
    const { rows } = await listWebhookDeliveries(manage(), { endpointId: endpoint.endpointId });
    expect(rows).toMatchObject([{ id: deliveryId, isTest: true, status: 'delivered', tries: 1, nextTryAt: null }]);
    expect(await loadBodies(manage(), [rows[0]?.eventId ?? ''])).toEqual([receiver.received[0]?.body]);
  });

  test.each(['paused', 'disabled'])('works for an endpoint that is %s', async status => {
    await set(`status = '${status}'`);
    expect(await run()).toMatchObject({ httpStatus: 200, error: null });
    expect(await endpointRow()).toMatchObject({ status });
  });

  test('that fails is not tried again, and does not count as a failure of the endpoint', async () => {
    receiver.answer = (_request, response) => response.writeHead(500).end();
    expect(await run()).toMatchObject({ httpStatus: 500, error: 'bad_status' });
    expect(await storedDeliveries(t, endpoint.endpointId)).toMatchObject([{ status: 'dead', tries: 1, next_in: null }]);
    expect(await endpointRow()).toMatchObject({ failures: 0, failing_since: null, circuit_open_until: null });
  });

  test('that succeeds ends the failures of the endpoint', async () => {
    await set('failures = 7, failing_since = now()');
    await run();
    expect(await endpointRow()).toMatchObject({ failures: 0, failing_since: null });
  });

  test('that is answered 410 disables nothing', async () => {
    receiver.answer = (_request, response) => response.writeHead(410).end();
    await run();
    expect(await endpointRow()).toMatchObject({ status: 'enabled' });
  });

  test('of a disabled endpoint is not given up by a worker meanwhile', async () => {
    let release = (): void => undefined;
    receiver.answer = (_request, response) => {
      release = () => response.end();
    };
    await set(`status = 'disabled'`);
    const answer = run();
    await receiver.hasReceived(1);
    await findDueEndpoints(t.database.sql(), null);
    release();
    await answer;
    expect(await storedDeliveries(t, endpoint.endpointId)).toMatchObject([{ status: 'delivered', error: null }]);
  });

  test('shows at most a KiB of the answer', async () => {
    receiver.answer = (_request, response) => response.end('é'.repeat(5_000));
    const { response } = await run();
    expect(Buffer.byteLength(response ?? '')).toBeLessThanOrEqual(1_024);
    expect(Buffer.byteLength(response ?? '')).toBeGreaterThan(1_000);
  });

  test('shows no header of the answer', async () => {
    receiver.answer = (_request, response) => response.setHeader('x-inner', 'secret-of-the-host').end('ok');
    expect(JSON.stringify(await run())).not.toContain('secret-of-the-host');
  });

  test('reaches no address that a delivery may not', async () => {
    await set(`url = 'http://10.0.0.1/'`);
    expect(await run()).toMatchObject({ httpStatus: null, error: 'address_refused', response: null });
  });

  test('does not follow a redirect', async () => {
    receiver.answer = (_request, response) => response.writeHead(307, { location: receiver.url }).end();
    expect(await run()).toMatchObject({ httpStatus: 307, error: 'redirect' });
    expect(receiver.received).toHaveLength(1);
  });

  test('of an endpoint whose key is lost says so', async () => {
    await set(`secret_key_id = 'gone0000'`);
    expect(await run()).toMatchObject({ error: 'secret_lost', httpStatus: null });
    expect(receiver.received).toHaveLength(0);
  });

  test.each([() => newId('whk'), () => 'whk_x', () => ''])('of one that is not there is refused', async id => {
    await expect(testWebhookEndpoint(manage(), { endpointId: id() })).rejects.toMatchObject({ code: 'not_found' });
  });

  test("of another account's is refused, and nothing is sent or stored", async () => {
    const other = await makeAccount(t.services);
    await expect(run(t.ctxFor(other.actor('management')))).rejects.toMatchObject({ code: 'not_found' });
    expect(receiver.received).toHaveLength(0);
    expect(await storedDeliveries(t, endpoint.endpointId)).toEqual([]);
  });
});

describe('the limit of tests', () => {
  test('admits ten of a token, and tells the eleventh when to come again', async () => {
    const actor = account.actor('management');
    for (let nth = 0; nth < 10; nth++) await run(t.ctxFor(actor));
    const refused = t.ctxFor(actor);
    // Of six seconds, those that the ten took are over.
    const wait = expect.toSatisfy((seconds: number) => seconds >= 1 && seconds <= 6);
    const message = expect.stringMatching(/^More than 10 tests a minute with this token\. Try again in [1-6] s\.$/);
    await expect(run(refused)).rejects.toMatchObject({ code: 'rate_limited', message, details: { retryAfter: wait } });
    expect(refused.request.answerHeaders.get('RateLimit')).toMatch(/;r=0;t=[1-6]$/);
    expect(receiver.received).toHaveLength(10);
  });

  test('admits no eleventh of many at once', async () => {
    const actor = account.actor('management');
    const all = await Promise.allSettled(Array.from({ length: 25 }, () => run(t.ctxFor(actor))));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(receiver.received).toHaveLength(10);
  });

  test('is of each token', async () => {
    for (const actor of [account.actor('management'), account.actor('management')])
      for (let nth = 0; nth < 10; nth++) await run(t.ctxFor(actor));
    expect(receiver.received).toHaveLength(20);
  });

  test('does not hold for an operator', async () => {
    for (let nth = 0; nth < 12; nth++) await run(t.ctxFor(account.operator));
    expect(receiver.received).toHaveLength(12);
  });
});

describe('a sample', () => {
  /** The names of the members, in attempts too. */
  function shape(data: Record<string, unknown>): string[] {
    const attempts = Array.isArray(data.attempts) ? data.attempts : [];
    const inner = attempts.slice(0, 1).flatMap(attempt => Object.keys(attempt as object).map(key => `attempts.${key}`));
    return [...Object.keys(data), ...inner].filter(key => key !== 'test').sort();
  }

  test('has the members of the real event, of each that there is', async () => {
    await makeEndpoint(t, account.accountId, { url: receiver.url });
    const unified = () => t.ctxFor(account.actor('unified'));
    for (const to of ['+12025550110', '+12025550101'])
      await sendMessage(unified(), { to, text: 'Hello', channels: ['sms'], sender: 'ACME' });
    const sms = { channels: ['sms' as const], sender: 'ACME' };
    for (const to of ['+12025550111', '+12025550101']) {
      const otp = await sendOtp(unified(), { to, ...sms });
      await verifyOtp(unified(), { pinId: otp.id, pin: '0' }).catch(() => undefined);
    }
    const real = new Map((await storedEvents(t, account.accountId)).map(({ event, data }) => [event, shape(data)]));
    expect([...real.keys()]).toEqual(
      expect.arrayContaining([
        'message.sent',
        'message.failed',
        'message.routed',
        'sms.sent',
        'sms.failed',
        'otp.sent',
        'otp.failed',
      ]),
    );
    for (const [event, members] of real)
      expect({ event, members: shape({ ...sampleData(event, new Date()) }) }).toEqual({ event, members });
  });

  test.each(WEBHOOK_EVENTS)('of %s says that it is a test', event => {
    expect(sampleData(event, new Date())).toMatchObject({ test: true });
  });
});

describe('a trigger of an event', () => {
  const trigger = (event: WebhookEventName) => triggerWebhookEvent(manage(), { event });

  test('is one event, tried once at every enabled endpoint that gets it', async () => {
    const other = await makeEndpoint(t, account.accountId, { url: receiver.url, events: ['otp.sent'] });
    const paused = await makeEndpoint(t, account.accountId, { url: receiver.url, events: ['otp.sent'] });
    await t.sql(`update webhook_endpoints set status = 'paused' where id = $1`, [toUuid(paused.endpointId)]);
    await makeEndpoint(t, account.accountId, { url: receiver.url, events: ['otp.failed'] });
    await makeEndpoint(t, (await makeAccount(t)).accountId, { url: receiver.url, events: ['otp.sent'] });
    const { eventId, listenerCount, tries } = await trigger('otp.sent');
    expect(listenerCount).toBe(0);
    expect(tries.map(({ endpointId }) => endpointId).sort()).toEqual([endpoint.endpointId, other.endpointId].sort());
    expect(tries).toMatchObject(Array(2).fill({ number: 1, httpStatus: 200, error: null }));
    const told = receiver.received.map(({ body }) => JSON.parse(body));
    expect(told).toMatchObject(Array(2).fill({ id: eventId, event: 'otp.sent', data: { test: true } }));
    expect(await storedDeliveries(t, endpoint.endpointId)).toMatchObject([{ status: 'delivered', tries: 1 }]);
  });

  test('tells what each endpoint answers, whatever the others do', async () => {
    const other = await makeEndpoint(t, account.accountId, { url: `${receiver.url}/other`, events: ['otp.sent'] });
    receiver.answer = (request, response) => response.writeHead(request.path.endsWith('/other') ? 500 : 204).end();
    const { tries } = await trigger('otp.sent');
    expect(Object.fromEntries(tries.map(({ endpointId, error }) => [endpointId, error]))).toEqual({
      [endpoint.endpointId]: null,
      [other.endpointId]: 'bad_status',
    });
  });

  test('says that nobody is told, and writes nothing', async () => {
    await expect(trigger('sms.failed')).rejects.toMatchObject({ code: 'not_found' });
    expect(await storedEvents(t, account.accountId)).toEqual([]);
  });

  test('is limited together with the tests', async () => {
    const actor = account.actor('management');
    const triggerAs = () => triggerWebhookEvent(t.ctxFor(actor), { event: 'otp.sent' });
    for (let round = 0; round < 5; round += 1) {
      await run(t.ctxFor(actor));
      await triggerAs();
    }
    await expect(triggerAs()).rejects.toMatchObject({ code: 'rate_limited' });
  });
});
