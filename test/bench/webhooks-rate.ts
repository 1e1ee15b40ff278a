/** How many deliveries a second a gateway makes to one fast receiver, beside a process that does nothing but post the same. */
import { join } from 'node:path';
import { newId } from '../../src/kernel/ids.ts';
import { webhookBody } from '../../src/modules/webhooks/events/webhook-events.ts';
import { newWebhookSecret, webhookHeaders } from '../../src/modules/webhooks/signatures/webhook-signature.ts';
import { runChild } from './children.ts';
import { checkRows, withDatabase } from './databases.ts';
import { type Gateway, withGateway } from './gateway.ts';
import { now, type Receiver, until, withReceiver } from './webhooks-arrivals.ts';
import { type BenchEndpoint, EVENT_DATA, EventWriter, makeEndpoint } from './webhooks-endpoints.ts';

const ENDPOINTS = 10;

/** Of the posts: as many as a gateway makes to ten endpoints. */
const CONCURRENCY = 100;

/** How many are made first, and not measured: of deliveries once, of posts in each turn, since each has a process of its own. */
const WARM_UP = 20_000;

/** Posts and deliveries take turns so often, so that a noisy second of the machine falls on both. */
const TURNS = 3;

/** What the process that only posts is told. */
export interface PostPlan {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly concurrency: number;
  readonly warmUp: number;
  readonly count: number;
}

/** A run of deliveries and posts. */
export interface RateRun {
  readonly deliveriesPerSecond: number;
  readonly postsPerSecond: number;
}

/** Delivers so many events, a multiple of thirty, to a receiver of its own, and posts as many in turn. @throws RowFault */
export function measureRate(clusterUrl: string, count: number): Promise<RateRun> {
  return withReceiver(receiver =>
    withDatabase(clusterUrl, url =>
      withGateway('grouped', url, async gateway => {
        const writer = new EventWriter(url, 1);
        const endpoints = await makeEndpoints(gateway, receiver);
        await deliver(writer, endpoints, receiver, WARM_UP);
        const seconds = { posts: 0, deliveries: 0 };
        for (let turn = 0; turn < TURNS; turn++) {
          seconds.posts += await runPosts(receiver, count / TURNS);
          seconds.deliveries += await deliver(writer, endpoints, receiver, count / TURNS);
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
        return { deliveriesPerSecond: count / seconds.deliveries, postsPerSecond: count / seconds.posts };
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

/** Queues deliveries and lets them go; answers the seconds from there to the arrival of the last. */
async function deliver(
  writer: EventWriter,
  endpoints: readonly BenchEndpoint[],
  receiver: Receiver,
  count: number,
): Promise<number> {
  await writer.pauseAll();
  for (const endpoint of endpoints) await writer.writeMany(endpoint, count / ENDPOINTS);
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
  const headers = webhookHeaders({
    event: 'message.sent',
    deliveryId: newId('dlv'),
    timestamp: 1_795_262_400,
    body,
    secrets: { current: newWebhookSecret(), previous: null },
  });
  const plan: PostPlan = {
    url: receiver.url,
    body,
    headers: { 'content-type': 'application/json', 'user-agent': 'Heliograph', ...headers },
    concurrency: CONCURRENCY,
    warmUp: WARM_UP,
    count,
  };
  const program = join(import.meta.dirname, 'webhooks-posts.ts');
  const { seconds }: { seconds: number } = JSON.parse(
    await runChild(process.execPath, [program, JSON.stringify(plan)]),
  );
  await receiver.arrivals(WARM_UP + count);
  return seconds;
}
