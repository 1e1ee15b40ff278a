/** How endpoints do: how fast they answer, and what waits for them. */
import type { Ctx } from '../../../context.ts';
import { fromUuid, idTime, toUuid, uuidFloorAfter } from '../../../kernel/ids.ts';
import { requireWebhookCaller } from '../endpoints/webhook-caller.ts';
import { COUNT_WAITING, LAST_DELIVERIES, P95_OF_TRIES } from './endpoint-figures.sql.ts';

/** How many deliveries of an endpoint count, the newest. */
export const COUNTED_DELIVERIES = 100;

/**
 * The 95th percentile of the milliseconds that tries took, over the newest 100 deliveries to each endpoint, for each id in turn. Null: no tries.
 * @throws as `requireWebhookCaller`
 */
export async function p95OfEndpoints(ctx: Ctx, endpointIds: readonly string[]): Promise<(number | null)[]> {
  const account = toUuid(requireWebhookCaller(ctx).id);
  const sql = ctx.services.database.sql(ctx.signal);
  const endpoints = endpointIds.map(toUuid);
  const deliveries = await LAST_DELIVERIES.run(sql, { account, endpoints, limit: COUNTED_DELIVERIES });
  if (deliveries.length === 0) return endpointIds.map(() => null);
  // A try is made after its delivery: older partitions are not looked at.
  const from = uuidFloorAfter(deliveries.map(({ id }) => idTime(fromUuid('dlv', id))));
  const rows = await P95_OF_TRIES.run(sql, { deliveries, from });
  const p95 = new Map(rows.map(row => [row.endpoint, row.p95]));
  return endpoints.map(id => p95.get(id) ?? null);
}

/** How many deliveries wait for their next try to each endpoint, 1,000 at most, for each id in turn. @throws as `requireWebhookCaller` */
export async function waitingOfEndpoints(ctx: Ctx, endpointIds: readonly string[]): Promise<number[]> {
  const account = toUuid(requireWebhookCaller(ctx).id);
  const endpoints = endpointIds.map(toUuid);
  const rows = await COUNT_WAITING.run(ctx.services.database.sql(ctx.signal), { account, endpoints });
  const waiting = new Map(rows.map(row => [row.endpoint, row.waiting]));
  return endpoints.map(id => waiting.get(id) ?? 0);
}
