import { execFileSync } from 'node:child_process';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { RETRY_DELAYS_SECONDS } from '../../../../src/modules/webhooks/deliveries/retry.policy.ts';
import { verifyWebhook } from '../../../../src/modules/webhooks/signatures/webhook-signature.ts';
import { setUpDelivering } from '../../../support/webhooks/delivery-fixture.ts';
import { startReceiver } from '../../../support/webhooks/receiver.ts';
import { passTheWait, storedDeliveries } from '../../../support/webhooks/stored-webhooks.ts';

const { account, endpointOf, queue, receiver, t, tries } = setUpDelivering();

describe('a delivery', () => {
  test('arrives signed, and is acknowledged by 2xx', async () => {
    receiver.answer = (_request, response) => response.writeHead(204).end();
    const { endpointId, secret } = await endpointOf();
    const [deliveryId] = await queue(endpointId);
    await tries.reached(1);
    const [request] = receiver.received;
    const event = verifyWebhook(request?.headers ?? {}, request?.body ?? '', secret);
    expect(event).toMatchObject({ event: 'message.sent', accountId: account.accountId, data: { messageId: 'msg_1' } });
    expect(request?.headers).toMatchObject({
      'x-service-event': 'message.sent',
      'x-service-delivery': deliveryId,
      'content-type': 'application/json',
    });
    expect(await storedDeliveries(t, endpointId)).toMatchObject([
      { status: 'delivered', tries: 1, http_status: 204, error: null, next_in: null },
    ]);
  });

  test('verifies with the library of Standard Webhooks, and with openssl', async () => {
    const { endpointId, secret } = await endpointOf();
    await queue(endpointId);
    await receiver.hasReceived(1);
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
    const standard = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    expect(new Webhook(secret).verify(body, standard)).toMatchObject({ event: 'message.sent' });
    const signed = `${standard['x-service-delivery']}.${standard['x-service-timestamp']}.${body}`;
    const printed = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret, '-r'], {
      input: signed,
      encoding: 'utf8',
    });
    expect(standard['x-service-signature']).toBe(`sha256=${printed.split(' ')[0]}`);
  });

  test('leaves a row for its try, with the first KiB of the answer', async () => {
    const answer = Array.from({ length: 1_000 }, (_, at) => `no\u0000 ${at} `).join('');
    receiver.answer = (_request, response) => response.writeHead(500).end(answer);
    const { endpointId } = await endpointOf();
    const [deliveryId = ''] = await queue(endpointId);
    await tries.reached(1);
    const [row] = await t.sql<Record<string, unknown>>('select * from webhook_tries where delivery_id = $1', [
      toUuid(deliveryId),
    ]);
    // No database stores a NUL character.
    const response = answer.slice(0, 1_024).replaceAll('\u0000', '');
    expect(row).toMatchObject({ number: 1, http_status: 500, error: 'bad_status', response });
    expect(Number(row?.duration_ms)).toBeGreaterThanOrEqual(0);
  });

  test('is tried ten times over the schedule, with one id and the time of each, and is then dead', async () => {
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const { endpointId, secret } = await endpointOf();
    const [deliveryId] = await queue(endpointId);
    for (const [index, delay] of RETRY_DELAYS_SECONDS.entries()) {
      await tries.reached(index + 1);
      const [row] = await storedDeliveries(t, endpointId);
      expect(row?.status).toBe('pending');
      expect(row?.next_in).toBeGreaterThan(delay - 2);
      expect(row?.next_in).toBeLessThanOrEqual(delay * 1.2);
      await passTheWait(t, endpointId);
    }
    await tries.reached(10);
    expect(await storedDeliveries(t, endpointId)).toMatchObject([{ status: 'dead', tries: 10, next_in: null }]);
    await passTheWait(t, endpointId);
    expect(receiver.received).toHaveLength(10);
    expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery']))).toEqual(
      new Set([deliveryId]),
    );
    // The whole second in which it was sent, by the database's clock, which is that of this machine here.
    for (const { headers, atMs } of receiver.received) {
      const sentMs = Number(headers['x-service-timestamp']) * 1_000;
      expect(Math.abs(performance.timeOrigin + atMs - sentMs)).toBeLessThan(30_000);
    }
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    for (const { headers, body } of receiver.received)
      expect(() => verifyWebhook(headers, body, secret, { toleranceSeconds: 3_600 })).not.toThrow();
  });

  test('waits as long as the endpoint asks', async () => {
    receiver.answer = (_request, response) => response.writeHead(503, { 'retry-after': '600' }).end();
    const { endpointId } = await endpointOf();
    await queue(endpointId);
    await tries.reached(1);
    const [row] = await storedDeliveries(t, endpointId);
    expect(row?.next_in).toBeGreaterThan(590);
    expect(row?.next_in).toBeLessThanOrEqual(600);
  });

  test.each([301, 302, 303, 307, 308])('follows no redirect (%i)', async status => {
    const elsewhere = await startReceiver();
    receiver.answer = (_request, response) => response.writeHead(status, { location: elsewhere.url }).end();
    const { endpointId } = await endpointOf();
    await queue(endpointId);
    await tries.reached(1);
    expect(await storedDeliveries(t, endpointId)).toMatchObject([
      { status: 'pending', http_status: status, error: 'redirect' },
    ]);
    expect(elsewhere.received).toEqual([]);
    await elsewhere.close();
  });

  test('is refused where the address is not public', async () => {
    const { endpointId } = await endpointOf({ url: 'http://10.0.0.1/hook' });
    await queue(endpointId);
    await tries.reached(1);
    expect(await storedDeliveries(t, endpointId)).toMatchObject([
      { status: 'pending', http_status: null, error: 'address_refused' },
    ]);
  });

  test('cannot be signed while the key of its secret is lost, and says so', async () => {
    const { endpointId } = await endpointOf();
    await t.sql(`update webhook_endpoints set secret_key_id = '00000000' where id = $1`, [toUuid(endpointId)]);
    await queue(endpointId);
    await tries.reached(1);
    expect(await storedDeliveries(t, endpointId)).toMatchObject([{ status: 'pending', error: 'secret_lost' }]);
    expect(receiver.received).toEqual([]);
  });

  test('is signed with both secrets during a rotation, and with the new one alone after it', async () => {
    const { endpointId, secret } = await endpointOf();
    const other = await endpointOf();
    await t.sql(
      `update webhook_endpoints e set previous_secret = e.secret, previous_secret_key_id = e.secret_key_id,
         previous_secret_until = now() + interval '1 minute' where id = $1`,
      [toUuid(endpointId)],
    );
    await queue(endpointId);
    await tries.reached(1);
    const during = receiver.received[0];
    expect(String(during?.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(() => verifyWebhook(during?.headers ?? {}, during?.body ?? '', secret)).not.toThrow();
    await t.sql(`update webhook_endpoints set previous_secret_until = now() - interval '1 s' where id = $1`, [
      toUuid(endpointId),
    ]);
    await queue(endpointId);
    await tries.reached(2);
    const after = receiver.received[1];
    expect(String(after?.headers['webhook-signature']).split(' ')).toHaveLength(1);
    expect(other.secret).not.toBe(secret);
  });
});
