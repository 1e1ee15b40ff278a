/** Webhook endpoints of the bench, and deliveries to them that are made in the database, as the gateway makes them. */
import pg from 'pg';
import { fromUuid, newId, toUuid } from '../../../src/kernel/ids.ts';
import { WEBHOOK_CHANNEL } from '../../../src/modules/webhooks/events/announce-webhooks.ts';
import type { WebhookEventName } from '../../../src/modules/webhooks/events/webhook-events.ts';
import type { Operate } from '../kit/gateway.ts';
import { now } from './arrivals.ts';

/** How many deliveries one statement makes. */
const CHUNK = 5_000;

/** An endpoint, and whose it is. */
export interface BenchEndpoint {
  readonly endpointId: string;
  readonly accountId: string;
}

/** Makes an endpoint of an account. */
export async function makeEndpoint(
  operate: Operate,
  accountId: string,
  url: string,
  events: readonly WebhookEventName[],
): Promise<BenchEndpoint> {
  const { endpoint } = await operate<{ endpoint: { endpointId: string } }>(
    'mutation ($input: CreateWebhookEndpointInput!) { result: createWebhookEndpoint(input: $input) { endpoint { endpointId } } }',
    { url, events },
    accountId,
  );
  return { endpointId: endpoint.endpointId, accountId };
}

/** The data of an event, as a send by SMS makes it. */
export const EVENT_DATA = JSON.stringify({
  messageId: newId('msg'),
  reference: 'order-4711-on-its-way',
  recipient: '12025550147',
  status: 'sent',
  deliveryMode: 'fallback',
  channel: 'sms',
  segments: 1,
  attempts: [
    {
      id: newId('att'),
      channel: 'sms',
      provider: 'sandbox',
      sender: 'BENCH',
      status: 'sent',
      errorCode: null,
      errorMessage: null,
      segments: 1,
      credits: 1,
      startedAt: new Date().toISOString(),
      finishedAt: new Date().toISOString(),
    },
  ],
  createdAt: new Date().toISOString(),
});

/** Parameters: pairs of ids; the endpoint, its account; what is told; whether the workers are woken. */
const QUEUE = `
  with pairs as (select * from json_to_recordset($1::json) as r(event uuid, delivery uuid)),
  events as (
    insert into webhook_events (id, account_id, event, data, created_at)
    select event, $3, 'message.sent', $4, clock_timestamp() from pairs),
  deliveries as (
    insert into webhook_deliveries (id, account_id, endpoint_id, event_id, event, status, next_try_at, created_at)
    select delivery, $3, $2, event, 'message.sent', 'pending', clock_timestamp(), clock_timestamp() from pairs)
  select pg_notify('${WEBHOOK_CHANNEL}', $2::uuid::text)`;

/** An event that was committed. */
export interface CommittedEvent {
  readonly eventId: string;
  /** When its commit was answered, by `now`. */
  readonly atMs: number;
}

/** Writes to a database what the gateway would. */
export class EventWriter {
  readonly #pool: pg.Pool;

  constructor(databaseUrl: string, connections: number) {
    this.#pool = new pg.Pool({ connectionString: databaseUrl, max: connections, min: connections });
  }

  /** Commits an event with its delivery to an endpoint, and wakes the workers. */
  async write(endpoint: BenchEndpoint): Promise<CommittedEvent> {
    const [eventId = ''] = await this.#queue(endpoint, 1);
    return { eventId: fromUuid('evt', eventId), atMs: now() };
  }

  /** Commits many of them. */
  async writeMany(endpoint: BenchEndpoint, count: number): Promise<void> {
    for (let left = count; left > 0; left -= CHUNK) await this.#queue(endpoint, Math.min(left, CHUNK));
  }

  /** Pauses all endpoints. */
  async pauseAll(): Promise<void> {
    await this.#pool.query(`update webhook_endpoints set status = 'paused'`);
  }

  /** Resumes all endpoints, and wakes the workers. */
  async resumeAll(): Promise<void> {
    await this.#pool.query(
      `with resumed as (update webhook_endpoints set status = 'enabled' returning id)
       select pg_notify('${WEBHOOK_CHANNEL}', id::text) from resumed`,
    );
  }

  /** Pauses an endpoint and forgets what waits for it. */
  async dropWaiting({ endpointId }: BenchEndpoint): Promise<void> {
    await this.#pool.query(`update webhook_endpoints set status = 'paused' where id = $1`, [toUuid(endpointId)]);
    await this.#pool.query(`delete from webhook_deliveries where endpoint_id = $1 and status = 'pending'`, [
      toUuid(endpointId),
    ]);
  }

  /** How many deliveries are not over. */
  async countPending(): Promise<number> {
    const { rows } = await this.#pool.query<{ count: number }>(
      `select count(*)::int as count from webhook_deliveries where status = 'pending'`,
    );
    return rows[0]?.count ?? 0;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  /** Answers the uuids of the events. */
  async #queue({ endpointId, accountId }: BenchEndpoint, count: number): Promise<string[]> {
    const pairs = Array.from({ length: count }, () => ({
      event: toUuid(newId('evt')),
      delivery: toUuid(newId('dlv')),
    }));
    const values = [JSON.stringify(pairs), toUuid(endpointId), toUuid(accountId), EVENT_DATA];
    await this.#pool.query({ name: 'queue', text: QUEUE, values });
    return pairs.map(pair => pair.event);
  }
}
