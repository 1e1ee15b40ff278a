import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { rotateWebhookSecret } from '../../../../src/modules/webhooks/endpoints/manage-endpoints.ts';
import { WEBHOOK_CHANNEL } from '../../../../src/modules/webhooks/events/announce-webhooks.ts';
import { setUpDelivering } from '../../../support/webhooks/delivery-fixture.ts';
import { provesService, provesStandard } from '../../../support/webhooks/independent-signatures.ts';
import { type Answer, ok, type Received } from '../../../support/webhooks/receiver.ts';
import { makeEndpoint, passTheWait, queueDeliveries } from '../../../support/webhooks/stored-webhooks.ts';

const DELIVERIES = 1_000;

/** The most tries to one endpoint at a time (contract §7): so many were signed already when the rotation came. */
const TRIES_AT_A_TIME = 10;

/** How many have come when as many as may be are under way. */
const HALF = DELIVERIES / 2 + TRIES_AT_A_TIME;

const { account, receiver, t, tries } = setUpDelivering();

/** A rotation in the middle of a thousand deliveries: what came, and how much of it had come when the rotation was over. */
interface Rotation {
  readonly old: string;
  readonly now: string;
  readonly before: readonly Received[];
  readonly after: readonly Received[];
}

const rotate = async (endpointId: string): Promise<string> =>
  (await rotateWebhookSecret(t.ctxFor(account.actor('management')), endpointId)).secret;

/** Rotates while as many tries as may be are under way, and the worker has heard of it: `goOn` answers them. `answer` answers all tries. */
async function rotateUnderWay(endpointId: string, answer: Answer) {
  const waiting: (() => void)[] = [];
  receiver.answer = (request, response, nth) => {
    if (nth > DELIVERIES / 2 && nth <= HALF) waiting.push(() => answer(request, response, nth));
    else answer(request, response, nth);
  };
  const ids = await queueDeliveries(t, account.accountId, endpointId, DELIVERIES);
  await receiver.hasReceived(HALF);
  // The worker listens on the same connection, and since before.
  const heard = Promise.withResolvers<void>();
  const unlisten = await t.database.listen(
    WEBHOOK_CHANNEL,
    payload => payload.endsWith(toUuid(endpointId)) && heard.resolve(),
    () => undefined,
  );
  const now = await rotate(endpointId);
  await heard.promise;
  await unlisten();
  return { ids, now, goOn: () => waiting.forEach(release => void release()) };
}

async function rotateInTheMiddle(): Promise<Rotation> {
  const { endpointId, secret: old } = await makeEndpoint(t, account.accountId, { url: receiver.url });
  const { now, goOn } = await rotateUnderWay(endpointId, ok);
  goOn();
  await tries.reached(DELIVERIES);
  return { old, now, before: receiver.received.slice(0, HALF), after: receiver.received.slice(HALF) };
}

/** Ends the time of the old secret, as the clock does after 24 hours. */
async function passTheDay(endpointId: string): Promise<void> {
  await t.sql('update webhook_endpoints set previous_secret_until = clock_timestamp() where id = $1', [
    toUuid(endpointId),
  ]);
}

describe('a secret that is rotated in the middle of a thousand deliveries', () => {
  test('leaves every delivery good for who holds the old one, and, but for those under way, for who holds the new one', async () => {
    const { old, now, before, after } = await rotateInTheMiddle();
    expect(before.length + after.length).toBe(DELIVERIES);
    expect([...before, ...after].filter(each => !provesStandard(each, old))).toEqual([]);
    expect([...before, ...after].filter(each => !provesService(each, old))).toEqual([]);
    expect(after.filter(each => !provesStandard(each, now))).toEqual([]);
  });

  test('loses none for a consumer that changes to the new one at that moment', async () => {
    const { endpointId, secret: old } = await makeEndpoint(t, account.accountId, { url: receiver.url });
    let held = old;
    const taken = new Set<string>();
    const { ids, now, goOn } = await rotateUnderWay(endpointId, (request, response) => {
      const isProven = provesStandard(request, held);
      if (isProven) taken.add(String(request.headers['webhook-id']));
      response.writeHead(isProven ? 200 : 400).end();
    });
    held = now;
    goOn();
    // Those under way are refused, and come again; nothing else waits for them.
    await tries.reached(DELIVERIES);
    expect(taken.size).toBe(DELIVERIES - TRIES_AT_A_TIME);
    await passTheWait(t, endpointId);
    await expect.poll(() => taken.size).toBe(DELIVERIES);
    expect(taken).toEqual(new Set(ids));
  });
});

describe('a secret that was rotated', () => {
  test('is good on the last moment of its day, and no more after it', async () => {
    const { endpointId, secret: old } = await makeEndpoint(t, account.accountId, { url: receiver.url });
    const now = await rotate(endpointId);
    const [row] = await t.sql<{ hours: number }>(
      `select extract(epoch from previous_secret_until - clock_timestamp())::float8 / 3600 as hours
       from webhook_endpoints where id = $1`,
      [toUuid(endpointId)],
    );
    expect(row?.hours).toBeGreaterThan(23.9);
    expect(row?.hours).toBeLessThanOrEqual(24);

    await t.sql(
      `update webhook_endpoints set previous_secret_until = clock_timestamp() + interval '1 hour' where id = $1`,
      [toUuid(endpointId)],
    );
    await queueDeliveries(t, account.accountId, endpointId, 20);
    await tries.reached(20);
    const during = receiver.received;
    expect(during.filter(each => !provesService(each, old))).toEqual([]);
    expect(during.filter(each => !provesStandard(each, old) || !provesStandard(each, now))).toEqual([]);

    await passTheDay(endpointId);
    await queueDeliveries(t, account.accountId, endpointId, 20);
    await tries.reached(40);
    const later = receiver.received.slice(20);
    expect(later.filter(each => provesStandard(each, old) || provesService(each, old))).toEqual([]);
    expect(later.filter(each => !provesStandard(each, now) || !provesService(each, now))).toEqual([]);
  });

  test('of the same day before is good no more when it is rotated again', async () => {
    const { endpointId, secret: old } = await makeEndpoint(t, account.accountId, { url: receiver.url });
    const now = await rotate(endpointId);
    const newest = await rotate(endpointId);
    await queueDeliveries(t, account.accountId, endpointId, 20);
    await tries.reached(20);
    const later = receiver.received;
    expect(later.filter(each => provesStandard(each, old) || provesService(each, old))).toEqual([]);
    expect(later.filter(each => !provesStandard(each, now) || !provesStandard(each, newest))).toEqual([]);
    expect(later.filter(each => !provesService(each, now))).toEqual([]);
  });
});
