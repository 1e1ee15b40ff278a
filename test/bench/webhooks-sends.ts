/** What webhooks cost the sends that they tell of: the sends a second of a gateway with and without an endpoint, the worker in the same process. */
import { WEBHOOK_EVENTS, type WebhookEventName } from '../../src/modules/webhooks/events/webhook-events.ts';
import { checkRows, withDatabase } from './databases.ts';
import { withGateway } from './gateway.ts';
import { runLoad } from './run-load.ts';
import { checkSends, loadPlan, type SendRun, type SendTimes } from './sends.ts';
import { now, type Receiver, until, withReceiver } from './webhooks-arrivals.ts';
import { EventWriter, makeEndpoint } from './webhooks-endpoints.ts';

/** What the endpoint subscribes to. */
const EVENTS = { none: [], one: ['message.sent'], all: WEBHOOK_EVENTS } as const satisfies Record<
  string,
  readonly WebhookEventName[]
>;

/** Who is told of the sends: nobody; an endpoint, of the message alone; or of all events. */
export type Subscription = keyof typeof EVENTS;

/** In turn, so that a noisy minute of the machine falls on all of them alike. */
export const SUBSCRIPTIONS: readonly Subscription[] = ['none', 'one', 'all'];

/** How many events an SMS makes for its subscriber: `message.sent`, and with all of them `message.routed` and `sms.sent` too. */
const EVENTS_OF_SEND: Readonly<Record<Subscription, number>> = { none: 0, one: 1, all: 3 };

/** A run of sends with what was delivered of them. */
export interface SubscribedRun extends SendRun {
  readonly deliveries: number;
  /** How long the deliveries went on after the load, in seconds. */
  readonly drainSeconds: number;
}

/** Runs sends on a database of its own until everything is delivered, and counts what they left. @throws RowFault */
export function measureSubscribed(
  subscription: Subscription,
  clusterUrl: string,
  times: SendTimes,
): Promise<SubscribedRun> {
  return withDatabase(clusterUrl, url =>
    withReceiver(async receiver => {
      const run = await sendAndDrain(subscription, url, receiver, times);
      const { answered, deliveries } = run;
      const title = `sends, told of: ${subscription}`;
      await checkSends(url, title, answered);
      await checkRows(url, title, {
        events: [answered * EVENTS_OF_SEND[subscription], 'webhook_events'],
        deliveries: [deliveries, 'webhook_deliveries'],
        'deliveries made': [deliveries, "webhook_deliveries where status = 'delivered' and tries = 1"],
        tries: [deliveries, 'webhook_tries where error is null'],
      });
      return run;
    }),
  );
}

function sendAndDrain(
  subscription: Subscription,
  databaseUrl: string,
  receiver: Receiver,
  times: SendTimes,
): Promise<SubscribedRun> {
  return withGateway('grouped', databaseUrl, async ({ url, token, accountId, operate }) => {
    const events = EVENTS[subscription];
    if (events.length > 0) await makeEndpoint(operate, accountId, receiver.url, events);
    const run = await runLoad({ ...loadPlan(), ...times, url, token });
    const endedMs = now();
    const deliveries = run.answered * EVENTS_OF_SEND[subscription];
    await receiver.arrivals(deliveries);
    const drainSeconds = (now() - endedMs) / 1_000;
    const writer = new EventWriter(databaseUrl, 1);
    await until('deliveries are settled', async () => (await writer.countPending()) === 0);
    await writer.close();
    return { ...run, deliveries, drainSeconds };
  });
}
