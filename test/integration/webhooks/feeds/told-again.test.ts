import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { closeFeeds } from '../../../../src/db/feeds/feed.ts';
import { startWebhooks, type Webhooks } from '../../../../src/modules/webhooks/deliveries/deliverer.ts';
import { testWebhookEndpoint, triggerWebhookEvent } from '../../../../src/modules/webhooks/endpoints/test-endpoint.ts';
import type { ToldEvent } from '../../../../src/modules/webhooks/events/webhook-events.ts';
import { followWebhookEvents } from '../../../../src/modules/webhooks/feeds/follow-events.ts';
import {
  recoverWebhooks,
  redeliverWebhook,
  restartDeliveries,
} from '../../../../src/modules/webhooks/redelivery/redeliver.ts';
import { OPERATOR } from '../../../support/services.ts';
import { take } from '../../../support/webhooks/feed-fixture.ts';
import { type Receiver, startReceiver } from '../../../support/webhooks/receiver.ts';
import { setUpRedelivering } from '../../../support/webhooks/redelivery-fixture.ts';
import {
  makeEndpoint,
  passTheWait,
  queueDeliveries,
  storedDeliveries,
} from '../../../support/webhooks/stored-webhooks.ts';

const { account, enqueued, make, manage, t } = setUpRedelivering();

describe('who follows events is told of one again', () => {
  let receiver: Receiver;
  let endpointId: string;
  let webhooks: Webhooks | null;
  let events: AsyncIterableIterator<ToldEvent, undefined>;

  beforeEach(async () => {
    webhooks = null;
    receiver = await startReceiver((_request, response) => response.writeHead(204).end());
    ({ endpointId } = await makeEndpoint(t, account.accountId, { url: receiver.url }));
    const { signal } = new AbortController();
    events = await followWebhookEvents(t.ctxFor(await account.holder('management')).with({ signal: () => signal }));
  });
  afterEach(async () => {
    await closeFeeds(t.database);
    await webhooks?.stop();
    await receiver.close();
  });

  /** Lets the worker begin: what was made before stands as it was made. */
  const work = async (): Promise<void> => {
    webhooks = await startWebhooks(t.ctxFor(OPERATOR));
  };

  test.each(['dead', 'missed', 'delivered', 'waiting'] as const)('when a %s delivery is redelivered', async state => {
    const [id = ''] = await make(state, 1, endpointId);
    await redeliverWebhook(manage(), id);
    await work();
    const [told] = await take(events, 1);
    expect(receiver.received.map(({ body }) => JSON.parse(body).id)).toEqual([told?.id]);
  });

  test('at each redelivery', async () => {
    const [id = ''] = await make('delivered', 1, endpointId);
    await redeliverWebhook(manage(), id);
    await work();
    const first = await take(events, 1);
    await redeliverWebhook(manage(), id);
    expect(await take(events, 1)).toEqual(first);
  });

  test('when deliveries are recovered, each of them', async () => {
    await make('missed', 3, endpointId);
    await recoverWebhooks(manage(), { endpointId, since: new Date(0) });
    for (const payload of await enqueued(endpointId)) await restartDeliveries(t.ctxFor(OPERATOR), payload);
    await work();
    const told = await take(events, 3);
    expect(new Set(told.map(({ id }) => id)).size).toBe(3);
  });

  test('when an endpoint is tested with it, and not when it is delivered or tried again by itself', async () => {
    await queueDeliveries(t, account.accountId, endpointId, 1);
    await make('waiting', 1, endpointId);
    await passTheWait(t, endpointId);
    await work();
    await expect.poll(() => storedDeliveries(t, endpointId)).toMatchObject(Array(2).fill({ status: 'delivered' }));
    await testWebhookEndpoint(manage(), { endpointId, event: 'sms.failed' });
    expect(await take(events, 1)).toMatchObject([{ event: 'sms.failed', data: { test: true } }]);
  });

  test('once of an event that is triggered, though two endpoints get it', async () => {
    await makeEndpoint(t, account.accountId, { url: receiver.url, events: ['sms.failed'] });
    await makeEndpoint(t, account.accountId, { url: receiver.url, events: ['sms.failed', 'sms.sent'] });
    const { eventId, tries } = await triggerWebhookEvent(manage(), { event: 'sms.failed' });
    await triggerWebhookEvent(manage(), { event: 'balance.low' });
    expect(tries.length).toBeGreaterThan(1);
    const told = await take(events, 2);
    expect(told).toMatchObject([{ id: eventId, event: 'sms.failed', data: { test: true } }, { event: 'balance.low' }]);
  });
});
