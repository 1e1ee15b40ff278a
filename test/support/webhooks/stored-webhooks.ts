/** Webhook endpoints past the verbs, and what is stored of events, deliveries and tries. */
import { fromUuid, newId, toUuid } from '../../../src/kernel/ids.ts';
import { sealSecret } from '../../../src/modules/webhooks/endpoints/endpoint-secrets.ts';
import { TRY_CHANNEL, WEBHOOK_CHANNEL } from '../../../src/modules/webhooks/events/announce-webhooks.ts';
import { WEBHOOK_EVENTS, type WebhookEventName } from '../../../src/modules/webhooks/events/webhook-events.ts';
import { newWebhookSecret } from '../../../src/modules/webhooks/signatures/webhook-signature.ts';
import type { TestServices } from '../services.ts';

/** An endpoint of a test. */
export interface TestEndpoint {
  readonly endpointId: string;
  readonly secret: string;
}

/** The services that these helpers need. */
type Test = Pick<TestServices, 'sql' | 'services'>;

/** Stores an endpoint; it wants every event unless told. */
export async function makeEndpoint(
  { sql, services }: Test,
  accountId: string,
  seed: { readonly url?: string; readonly events?: readonly WebhookEventName[]; readonly status?: string } = {},
): Promise<TestEndpoint> {
  const endpointId = newId('whk');
  const secret = newWebhookSecret();
  const { secret: sealed, secretKeyId: keyId } = sealSecret(services.keys, endpointId, secret);
  await sql(
    `insert into webhook_endpoints (id, account_id, url, events, status, secret, secret_key_id, created_at, updated_at)
     values ($1, $2, $3, $4::text[], $5, $6, $7, now(), now())`,
    [
      toUuid(endpointId),
      toUuid(accountId),
      seed.url ?? 'https://hooks.example/',
      [...(seed.events ?? WEBHOOK_EVENTS)],
      seed.status ?? 'enabled',
      sealed,
      keyId,
    ],
  );
  return { endpointId, secret };
}

/** An event as it is stored. */
export interface StoredEvent {
  readonly id: string;
  readonly event: WebhookEventName;
  readonly data: Record<string, unknown>;
}

/** The events of an account, in the order in which its state changed. */
export async function storedEvents({ sql }: Pick<Test, 'sql'>, accountId: string): Promise<StoredEvent[]> {
  const rows = await sql<{ id: string; event: WebhookEventName; data: string }>(
    'select id, event, data from webhook_events where account_id = $1 order by created_at',
    [toUuid(accountId)],
  );
  return rows.map(({ id, event, data }) => ({ id: fromUuid('evt', id), event, data: JSON.parse(data) }));
}

/** A delivery as it is stored. */
export interface StoredDelivery {
  readonly id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly event: WebhookEventName;
  readonly status: string;
  readonly tries: number;
  readonly step: number;
  readonly http_status: number | null;
  readonly error: string | null;
  /** Seconds from now to the next try; null: there is none. */
  readonly next_in: number | null;
}

/** The deliveries to an endpoint, the oldest event first. */
export function storedDeliveries({ sql }: Pick<Test, 'sql'>, endpointId: string): Promise<StoredDelivery[]> {
  return sql<StoredDelivery>(
    `select id, endpoint_id, event_id, event, status, tries, step, http_status, error,
       extract(epoch from next_try_at - clock_timestamp())::float8 as next_in
     from webhook_deliveries where endpoint_id = $1 order by created_at, id`,
    [toUuid(endpointId)],
  );
}

/** Counts the tries that are stored from now on, whichever process stores them. */
export async function followTries({ services }: Pick<Test, 'services'>): Promise<{
  /** Resolves when so many have been stored in all. */
  reached(count: number): Promise<void>;
  stop(): Promise<void>;
}> {
  let count = 0;
  let waiting: { count: number; resolve: () => void }[] = [];
  const stop = await services.database.listen(
    TRY_CHANNEL,
    payload => {
      count += payload.split(',').length;
      for (const each of waiting) if (count >= each.count) each.resolve();
      waiting = waiting.filter(each => count < each.count);
    },
    () => undefined,
  );
  return {
    reached: wanted =>
      count >= wanted ? Promise.resolve() : new Promise(resolve => waiting.push({ count: wanted, resolve })),
    stop,
  };
}

/** Makes so many deliveries to an endpoint due, each of an event of its own, and wakes the workers. */
export async function queueDeliveries(
  { sql }: Pick<Test, 'sql'>,
  accountId: string,
  endpointId: string,
  count: number,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => ({ event: toUuid(newId('evt')), delivery: toUuid(newId('dlv')) }));
  await sql(
    `with pairs as (select * from json_to_recordset($1::json) as r(event uuid, delivery uuid)),
     events as (
       insert into webhook_events (id, account_id, event, data, created_at)
       select event, $2, 'message.sent', '{"messageId":"msg_1","status":"sent"}', clock_timestamp() from pairs),
     deliveries as (
       insert into webhook_deliveries (id, account_id, endpoint_id, event_id, event, status, next_try_at, created_at)
       select delivery, $2, $3, event, 'message.sent', 'pending', clock_timestamp(), clock_timestamp() from pairs)
     select pg_notify($4, $3::uuid::text)`,
    [JSON.stringify(ids), toUuid(accountId), toUuid(endpointId), WEBHOOK_CHANNEL],
  );
  return ids.map(({ delivery }) => fromUuid('dlv', delivery));
}

/** Ends the wait of all deliveries to an endpoint: their next try is due now, and the workers are woken. */
export async function passTheWait({ sql }: Pick<Test, 'sql'>, endpointId: string): Promise<void> {
  await sql(`update webhook_deliveries set next_try_at = now() where endpoint_id = $1 and status = 'pending'`, [
    toUuid(endpointId),
  ]);
  await wake({ sql }, endpointId);
}

/** Wakes the workers for an endpoint. */
export async function wake({ sql }: Pick<Test, 'sql'>, endpointId: string): Promise<void> {
  await sql('select pg_notify($1, $2)', [WEBHOOK_CHANNEL, toUuid(endpointId)]);
}
