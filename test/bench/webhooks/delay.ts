/**
 * The delay of an event from its commit to its receiver. Measured for single events at an idle gateway, and at a steady rate beside an
 * endpoint that never answers.
 */
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import { checkRows, RowFault, withDatabase } from '../kit/databases.ts';
import { quantileOf, table } from '../kit/figures.ts';
import { type Gateway, makeAccount, withGateway } from '../kit/gateway.ts';
import { atMost } from '../kit/goals.ts';
import type { Part } from '../kit/part.ts';
import { now, type Receiver, until, withReceiver } from './arrivals.ts';
import { type BenchEndpoint, type CommittedEvent, EventWriter, makeEndpoint } from './endpoints.ts';

/** At most so long a gateway is left in peace between two single events, so that they meet every moment of its routine. */
const PAUSE_MS_MAX = 50;

/** Single events that are not measured. */
const WARM_UP_EVENTS = 30;

/** With the one that never answers there are a hundred, which takes two accounts. */
const HEALTHY = 99;

const HEALTHY_PER_SECOND = 200;
const HOLE_PER_SECOND = 20;
const WARM_UP_SECONDS = 5;
const CONNECTIONS = 8;

/** How many tries an endpoint that never answers has under way soon. */
const TRIES_AT_A_TIME = 10;

/** How long each event took, in milliseconds from the answer of its commit to the first bytes at the receiver. */
interface DelayRun {
  /** Single events at an idle gateway. */
  readonly single: readonly number[];
  /** Events at a steady rate, every endpoint answering. */
  readonly healthy: readonly number[];
  /** The same, while one endpoint never answers. */
  readonly besideHole: readonly number[];
}

/** How much is measured. */
interface DelayPlan {
  readonly singleEvents: number;
  /** Seconds beside the endpoint that never answers; half as many before that and after it. */
  readonly seconds: number;
}

/** Measures on a gateway of its own. @throws RowFault where an event was not delivered, or more than once */
function measureDelays(clusterUrl: string, plan: DelayPlan): Promise<DelayRun> {
  return withDatabase(clusterUrl, url =>
    withReceiver(receiver =>
      withGateway('grouped', url, async gateway => {
        const writer = new EventWriter(url, CONNECTIONS);
        const { healthy, hole } = await makeEndpoints(gateway, receiver);
        const bench = new DelayBench(writer, receiver, healthy, hole);
        await bench.single(WARM_UP_EVENTS);
        const single = await bench.single(plan.singleEvents);
        await bench.steady(WARM_UP_SECONDS, false);
        const before = await bench.steady(plan.seconds / 2, false);
        const besideHole = await bench.steady(plan.seconds, true);
        const after = await bench.steady(plan.seconds / 2, false);
        await until('deliveries are settled', async () => {
          // Deliveries that were broken off come back to wait for their next try.
          await writer.dropWaiting(hole);
          return (await writer.countPending()) === 0;
        });
        await writer.close();
        await checkRows(url, 'delays', {
          'deliveries made': [bench.made, "webhook_deliveries where status = 'delivered' and tries = 1"],
        });
        return { single, healthy: [...before, ...after], besideHole };
      }),
    ),
  );
}

async function makeEndpoints(
  { operate, accountId }: Gateway,
  receiver: Receiver,
): Promise<{ healthy: BenchEndpoint[]; hole: BenchEndpoint }> {
  const accounts = [accountId, (await makeAccount(operate)).accountId];
  const healthy: BenchEndpoint[] = [];
  for (let nth = 0; nth < HEALTHY; nth++)
    healthy.push(await makeEndpoint(operate, accounts[nth % 2] ?? accountId, receiver.url, ['message.sent']));
  return { healthy, hole: await makeEndpoint(operate, accounts[1] ?? accountId, receiver.holeUrl, ['message.sent']) };
}

class DelayBench {
  /** Deliveries that arrived. */
  made = 0;
  readonly #writer: EventWriter;
  readonly #receiver: Receiver;
  readonly #healthy: readonly BenchEndpoint[];
  readonly #hole: BenchEndpoint;

  constructor(writer: EventWriter, receiver: Receiver, healthy: readonly BenchEndpoint[], hole: BenchEndpoint) {
    this.#writer = writer;
    this.#receiver = receiver;
    this.#healthy = healthy;
    this.#hole = hole;
  }

  /** One event after another, each when the one before has arrived. */
  async single(count: number): Promise<number[]> {
    const delays: number[] = [];
    for (let nth = 0; nth < count; nth++) {
      await setTimeoutPromise(Math.random() * PAUSE_MS_MAX);
      delays.push(...(await this.#delaysOf([await this.#write(nth)])));
    }
    return delays;
  }

  /**
   * Sends events at a steady rate, in turn to all endpoints that answer. The endpoint that never answers gets others, and is relieved of
   * them at the end.
   */
  async steady(seconds: number, hasHole: boolean): Promise<number[]> {
    const beganMs = now();
    const events: Promise<CommittedEvent>[] = [];
    const lost: Promise<CommittedEvent>[] = [];
    for (let elapsed = 0; elapsed < seconds; elapsed = (now() - beganMs) / 1_000) {
      while (events.length < elapsed * HEALTHY_PER_SECOND) events.push(this.#write(events.length));
      while (hasHole && lost.length < elapsed * HOLE_PER_SECOND) lost.push(this.#writer.write(this.#hole));
      await setTimeoutPromise(1);
    }
    const delays = await this.#delaysOf(await Promise.all(events));
    if (!hasHole) return delays;
    await Promise.all(lost);
    await this.#writer.dropWaiting(this.#hole);
    const swallowed = await this.#receiver.hangUp();
    if (swallowed < TRIES_AT_A_TIME) throw new RowFault(`the endpoint that never answers was tried ${swallowed} times`);
    return delays;
  }

  #write(nth: number): Promise<CommittedEvent> {
    const endpoint = this.#healthy[nth % HEALTHY];
    if (!endpoint) throw new Error('there are no endpoints');
    return this.#writer.write(endpoint);
  }

  /** Waits for all of these events. */
  async #delaysOf(events: readonly CommittedEvent[]): Promise<number[]> {
    const { eventIds, times } = await this.#receiver.arrivals(events.length);
    const arrivedMs = new Map(eventIds.map((id, index) => [id, times[index] ?? Number.NaN]));
    this.made += events.length;
    return events.map(({ eventId, atMs }) => {
      const arrived = arrivedMs.get(eventId);
      if (arrived === undefined) throw new RowFault(`the event ${eventId} did not arrive, but another did twice`);
      return arrived - atMs;
    });
  }
}

function delayReport(delays: readonly DelayRun[]): string {
  const row = (title: string, values: readonly number[]): string[] => [
    title,
    ...[0.5, 0.95, 0.99].map(share => quantileOf(values, share).toFixed(1)),
    String(values.length),
  ];
  return table([
    ['From the commit of an event to its receiver', 'p50 ms', 'p95 ms', 'p99 ms', 'events'],
    row(
      'one after another',
      delays.flatMap(delay => delay.single),
    ),
    row(
      '200 a second to 99 endpoints',
      delays.flatMap(delay => delay.healthy),
    ),
    row(
      'the same, beside one endpoint that never answers',
      delays.flatMap(delay => delay.besideHole),
    ),
  ]);
}

function besideHoleOf(delays: readonly DelayRun[]): number {
  const p95 = (values: readonly number[]): number => quantileOf(values, 0.95);
  return p95(delays.flatMap(delay => delay.besideHole)) / p95(delays.flatMap(delay => delay.healthy));
}

/** How soon events come to their receivers. */
export const delayPart: Part = {
  flag: '--webhook-delay',
  about: 'how soon an event comes to its receiver, also beside an endpoint that never answers',
  async run({ clusterUrl, isQuick, rounds, say }) {
    const plan = isQuick ? { singleEvents: 100, seconds: 10 } : { singleEvents: 300, seconds: 20 };
    const delays: DelayRun[] = [];
    for (let round = 0; round < rounds; round++) delays.push(await measureDelays(clusterUrl, plan));
    const single = delays.flatMap(delay => delay.single);
    say(delayReport(delays));
    return [
      atMost('p50 of an event to its receiver', quantileOf(single, 0.5), 100, 'ms'),
      atMost('p99 of an event to its receiver', quantileOf(single, 0.99), 500, 'ms'),
      atMost('p95 of events beside an endpoint that never answers to without', besideHoleOf(delays), 1.2),
    ];
  },
};
