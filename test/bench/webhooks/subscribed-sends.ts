/**
 * The cost of webhooks for the sends that they tell of: the rate of a gateway with and without an endpoint. The worker runs in the same
 * process.
 */
import { WEBHOOK_EVENTS, type WebhookEventName } from '../../../src/modules/webhooks/events/webhook-events.ts';
import { costEach, costOf } from '../kit/costs.ts';
import { checkRows, withDatabase } from '../kit/databases.ts';
import { medianCost, medianFigures, table } from '../kit/figures.ts';
import { withGateway } from '../kit/gateway.ts';
import { atLeast, ratio } from '../kit/goals.ts';
import type { Part } from '../kit/part.ts';
import { type LoadResult, runLoad } from '../load/run-load.ts';
import { untilReported } from '../sends/reported.ts';
import { CALLERS, type CostedRun, checkSends, loadPlan, type SendTimes } from '../sends/sends.ts';
import { now, type Receiver, until, withReceiver } from './arrivals.ts';
import { EventWriter, makeEndpoint } from './endpoints.ts';

/** The subscribed events of the endpoint. */
const EVENTS = { none: [], one: ['message.sent'], all: WEBHOOK_EVENTS } as const satisfies Record<
  string,
  readonly WebhookEventName[]
>;

/** The listeners to the sends: nobody; an endpoint, to the message alone; or to all events. */
type Subscription = keyof typeof EVENTS;

/** In turn, so that a noisy minute of the machine falls on all of them alike. */
const SUBSCRIPTIONS: readonly Subscription[] = ['none', 'one', 'all'];

const TITLES: Readonly<Record<Subscription, string>> = {
  none: 'gateway, nobody is told',
  one: 'gateway, one endpoint is told of message.sent',
  all: 'gateway, one endpoint is told of all nine events',
};

/** How many events an SMS makes for its subscriber: `message.sent`, and with all of them `message.routed` and `sms.sent` too. */
const EVENTS_OF_SEND: Readonly<Record<Subscription, number>> = { none: 0, one: 1, all: 3 };

/** A run of sends with what was delivered of them; the deliveries are a part of the cost of a send. */
interface SubscribedRun extends CostedRun {
  readonly deliveries: number;
  /** How long the deliveries went on after the load, in seconds. */
  readonly drainSeconds: number;
}

/** Runs sends on a database of its own until everything is delivered, and counts what they left. @throws RowFault */
function measureSubscribed(subscription: Subscription, clusterUrl: string, times: SendTimes): Promise<SubscribedRun> {
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
  { warmUpSeconds, seconds, connections }: SendTimes,
): Promise<SubscribedRun> {
  return withGateway('grouped', databaseUrl, async ({ url, token, pid, accountId, operate }) => {
    const events = EVENTS[subscription];
    if (events.length > 0) await makeEndpoint(operate, accountId, receiver.url, events);
    const writer = new EventWriter(databaseUrl, 1);
    const send = async (forSeconds: number): Promise<LoadResult & { drainSeconds: number }> => {
      const load = { ...loadPlan(), url, token, connections, warmUpSeconds: 0, seconds: forSeconds };
      const run = await runLoad(load);
      const endedMs = now();
      await receiver.arrivals(run.answered * EVENTS_OF_SEND[subscription]);
      const drainSeconds = (now() - endedMs) / 1_000;
      await until('deliveries are settled', async () => (await writer.countPending()) === 0);
      await untilReported(databaseUrl);
      return { ...run, drainSeconds };
    };
    const warmUp = await send(warmUpSeconds);
    const [run, cost] = await costOf([pid], databaseUrl, () => send(seconds));
    await writer.close();
    const answered = warmUp.answered + run.answered;
    const deliveries = answered * EVENTS_OF_SEND[subscription];
    return { ...run, answered, deliveries, cost: costEach(cost, run.answered) };
  });
}

function subscribedTable(runs: ReadonlyMap<Subscription, readonly SubscribedRun[]>): string {
  return table([
    ['Sends that webhooks tell of', 'sends/s', 'p50 ms', 'p99 ms', 'gateway µs', 'PostgreSQL µs', 'WAL bytes'],
    ...[...runs].map(([subscription, list]) => {
      const { sendsPerSecond, p50Ms, p99Ms } = medianFigures(list);
      const { gatewayUs, postgresUs, walBytes } = medianCost(list.map(run => run.cost));
      return [
        TITLES[subscription],
        sendsPerSecond.toFixed(0),
        p50Ms.toFixed(1),
        p99Ms.toFixed(1),
        ...[gatewayUs, postgresUs, walBytes].map(value => value.toFixed(0)),
      ];
    }),
  ]);
}

/** Sends that endpoints are told of. */
export const subscribedPart: Part = {
  flag: '--webhook-sends',
  about: 'sends that a webhook endpoint is told of, beside sends that nobody is told of',
  async run({ clusterUrl, rounds, times, say }) {
    const runs = new Map<Subscription, SubscribedRun[]>(SUBSCRIPTIONS.map(subscription => [subscription, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [subscription, list] of runs) {
        const run = await measureSubscribed(subscription, clusterUrl, { ...times, connections: CALLERS });
        say(
          `  ${TITLES[subscription]}: ${run.sendsPerSecond.toFixed(0)} sends/s; ${run.answered} answered, ${run.deliveries} delivered, ` +
            `${run.drainSeconds.toFixed(1)} s after the load`,
        );
        list.push(run);
      }
    }
    const rateOf = (subscription: Subscription): number => medianFigures(runs.get(subscription) ?? []).sendsPerSecond;
    say();
    say(subscribedTable(runs));
    say();
    say(`Sends with all events to sends without:      ${ratio(rateOf('all') / rateOf('none'))}`);
    return [atLeast('sends with one subscribed endpoint to none', rateOf('one') / rateOf('none'), 0.75)];
  },
};
