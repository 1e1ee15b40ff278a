/** How many deliveries a second a gateway makes to one fast receiver, beside a process that does nothing but post the same. */
import { join } from 'node:path';
import { newId } from '../../../src/kernel/ids.ts';
import { webhookBody } from '../../../src/modules/webhooks/events/webhook-events.ts';
import { createWebhookSigner, newWebhookSecret } from '../../../src/modules/webhooks/signatures/webhook-signature.ts';
import { runChild } from '../kit/children.ts';
import { type Cost, costEach, costOf } from '../kit/costs.ts';
import { checkRows, withDatabase } from '../kit/databases.ts';
import { median, medianCost, table } from '../kit/figures.ts';
import { type Gateway, withGateway } from '../kit/gateway.ts';
import { atLeast } from '../kit/goals.ts';
import type { Part } from '../kit/part.ts';
import { now, type Receiver, until, withReceiver } from './arrivals.ts';
import { type BenchEndpoint, EVENT_DATA, EventWriter, makeEndpoint } from './endpoints.ts';

const ENDPOINTS = 10;

/** Of the posts: as many as a gateway makes to ten endpoints. */
const CONCURRENCY = 100;

/** How many are made first, and not measured: of deliveries once, of posts in each turn, since each has a process of its own. */
const WARM_UP = 20_000;

/** Posts and deliveries take turns so often, so that a noisy second of the machine falls on both. */
const TURNS = 3;

/** The arguments of the process that only posts. */
export interface PostPlan {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly concurrency: number;
  readonly warmUp: number;
  readonly count: number;
}

/** A run of deliveries and posts. */
interface RateRun {
  readonly deliveriesPerSecond: number;
  readonly postsPerSecond: number;
  /** The cost of a delivery. */
  readonly cost: Cost;
}

/** Delivers so many events, a multiple of thirty, to a receiver of its own, and posts as many in turn. @throws RowFault */
function measureRate(clusterUrl: string, count: number): Promise<RateRun> {
  return withReceiver(receiver =>
    withDatabase(clusterUrl, url =>
      withGateway('grouped', url, async gateway => {
        const writer = new EventWriter(url, 1);
        const endpoints = await makeEndpoints(gateway, receiver);
        await queue(writer, endpoints, WARM_UP);
        await release(writer, receiver, WARM_UP);
        const seconds = { posts: 0, deliveries: 0 };
        const costs: Cost[] = [];
        for (let turn = 0; turn < TURNS; turn++) {
          seconds.posts += await runPosts(receiver, count / TURNS);
          await queue(writer, endpoints, count / TURNS);
          const [tookSeconds, cost] = await costOf([gateway.pid], url, () => release(writer, receiver, count / TURNS));
          seconds.deliveries += tookSeconds;
          costs.push(costEach(cost, count / TURNS));
        }
        await writer.close();
        const made = WARM_UP + count;
        await checkRows(url, 'deliveries', {
          'deliveries made': [
            made,
            "webhook_deliveries where status = 'delivered' and tries = 1 and http_status = 200",
          ],
          deliveries: [made, 'webhook_deliveries'],
          tries: [made, 'webhook_tries where error is null'],
        });
        const cost = medianCost(costs);
        return { deliveriesPerSecond: count / seconds.deliveries, postsPerSecond: count / seconds.posts, cost };
      }),
    ),
  );
}

async function makeEndpoints({ operate, accountId }: Gateway, receiver: Receiver): Promise<BenchEndpoint[]> {
  const endpoints: BenchEndpoint[] = [];
  while (endpoints.length < ENDPOINTS)
    endpoints.push(await makeEndpoint(operate, accountId, receiver.url, ['message.sent']));
  return endpoints;
}

/** Queues deliveries to endpoints that are paused. */
async function queue(writer: EventWriter, endpoints: readonly BenchEndpoint[], count: number): Promise<void> {
  await writer.pauseAll();
  for (const endpoint of endpoints) await writer.writeMany(endpoint, count / ENDPOINTS);
}

/** Lets what is queued go; answers the seconds from there to the arrival of the last. */
async function release(writer: EventWriter, receiver: Receiver, count: number): Promise<number> {
  const beganMs = now();
  await writer.resumeAll();
  const { times } = await receiver.arrivals(count);
  await until('deliveries are settled', async () => (await writer.countPending()) === 0);
  return ((times.at(-1) ?? Number.NaN) - beganMs) / 1_000;
}

/** Answers the seconds of so many posts. */
async function runPosts(receiver: Receiver, count: number): Promise<number> {
  const [id, createdAt, accountId] = [newId('evt'), '2026-11-21T12:00:00.000000Z', newId('acc')];
  const body = webhookBody({ id, event: 'message.sent', createdAt, accountId, data: JSON.parse(EVENT_DATA) });
  const headers = createWebhookSigner({ current: newWebhookSecret(), previous: null })({
    event: 'message.sent',
    deliveryId: newId('dlv'),
    timestamp: 1_795_262_400,
    body,
  });
  const plan: PostPlan = {
    url: receiver.url,
    body,
    headers: { 'content-type': 'application/json', 'user-agent': 'Heliograph', ...headers },
    concurrency: CONCURRENCY,
    warmUp: WARM_UP,
    count,
  };
  const program = join(import.meta.dirname, 'posts.ts');
  const { seconds }: { seconds: number } = JSON.parse(
    await runChild(process.execPath, [program, JSON.stringify(plan)]),
  );
  await receiver.arrivals(WARM_UP + count);
  return seconds;
}

/** Deliveries to one fast receiver. */
export const ratePart: Part = {
  flag: '--webhook-rate',
  about: 'webhook deliveries to one receiver, beside undici posting the same',
  async run({ clusterUrl, isQuick, rounds, say }) {
    const runs: RateRun[] = [];
    for (let round = 0; round < rounds; round++) {
      const run = await measureRate(clusterUrl, isQuick ? 12_000 : 45_000);
      say(`  deliveries: ${run.deliveriesPerSecond.toFixed(0)}/s, posts alone ${run.postsPerSecond.toFixed(0)}/s`);
      runs.push(run);
    }
    const deliveries = median(runs.map(run => run.deliveriesPerSecond));
    const posts = median(runs.map(run => run.postsPerSecond));
    const { gatewayUs, postgresUs, walBytes } = medianCost(runs.map(run => run.cost));
    say();
    say(
      table([
        ['Webhooks to one receiver', 'a second', 'gateway µs', 'PostgreSQL µs', 'WAL bytes'],
        [
          'gateway, deliveries to ten endpoints, ten at a time each',
          ...[deliveries, gatewayUs, postgresUs, walBytes].map(value => value.toFixed(0)),
        ],
        ['undici alone, the same request, a hundred at a time', posts.toFixed(0), '', '', ''],
      ]),
    );
    return [atLeast('webhook deliveries to bare undici posts', deliveries / posts, 0.4)];
  },
};
