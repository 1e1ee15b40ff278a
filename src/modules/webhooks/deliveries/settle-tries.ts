/**
 * The batch *settle tries*: deliveries, tries and the endpoints that fail or recover, in one statement for all endpoints. A result that comes too
 * late (another worker has tried it since) is kept as a try; only a success still counts.
 */
import { type Apply, defineStatementBatch } from '../../../db/batch.ts';
import { rangedIds } from '../../../db/statements/ranged-ids.ts';
import type { Sql } from '../../../db/statements/sql.ts';
import { toUuid } from '../../../kernel/ids.ts';
import type { EndpointStatus } from '../endpoints/webhook-endpoint.entity.ts';
import { CIRCUIT_OPEN_SECONDS } from './retry.policy.ts';
import { SETTLE_TRIES } from './settle-tries.sql.ts';
import type { DeliveryStatus } from './webhook-delivery.entity.ts';
import type { WebhookTry } from './webhook-try.entity.ts';

/** A try that was made: its row, and its meaning for the delivery and the endpoint. */
export interface TryItem extends Omit<WebhookTry, 'createdAt'> {
  /** Whether a failure says nothing of the endpoint: of a test, or of the endpoint before it was changed. */
  readonly isAside: boolean;
  /** The event that who follows events is told of once more; null: they were told of it when it happened. */
  readonly retold: string | null;
  /** The step of the delivery that the try was made at. */
  readonly step: number;
  /** Seconds until the next try; null: there is none. */
  readonly retrySeconds: number | null;
  /** Whether the endpoint's breaker opens. */
  readonly opensCircuit: boolean;
}

/** The state of the delivery and its endpoint after a try was settled. */
export interface SettledTry {
  /** The status of the delivery; null: another worker had it settled. */
  readonly delivery: DeliveryStatus | null;
  /** How the endpoint stands where that may have changed; null: it is as it was. */
  readonly endpoint: EndpointStatus | null;
  /** Whether this statement disabled the endpoint; of the tries to one endpoint the first says so. */
  readonly isDisabledNow: boolean;
}

const DELIVERED: SettledTry = { delivery: 'delivered', endpoint: null, isDisabledNow: false };

/** Settles a try. `EndpointRun` bounds how many tries of an endpoint wait here. @throws AppError `database_unavailable`. */
export const settleTry = defineStatementBatch('settle tries', applySettle, {
  isSerial: true,
  patience: { waitMs: 15, atLeast: 32 },
});

async function applySettle(sql: Sql, items: readonly TryItem[]): ReturnType<Apply<TryItem, SettledTry>> {
  const deliveries = rangedIds(items.map(item => toUuid(item.deliveryId)));
  const told = items.map(item => toUuid(item.id));
  const retold = items.filter(item => item.retold !== null);
  const rows = await SETTLE_TRIES.run(sql, {
    tries: items,
    verdicts: items.flatMap((item, index) => (hasJustSucceeded(item) ? [] : [verdictOf(item, told[index] ?? '')])),
    deliveries: deliveries.ids,
    lowestDelivery: deliveries.lowestId,
    highestDelivery: deliveries.highestId,
    circuitOpenSeconds: CIRCUIT_OPEN_SECONDS,
    told,
    retoldDeliveries: retold.map(item => toUuid(item.deliveryId)),
    retold: retold.map(item => toUuid(item.retold ?? '')),
  });
  const byTry = new Map(rows.map(row => [row.id, row]));
  const disabled = new Set<string>();
  return items.map(({ endpointId }, index) => {
    const row = byTry.get(told[index] ?? '');
    if (!row) return DELIVERED;
    const isDisabledNow = row.is_disabled_now && !disabled.has(endpointId);
    if (isDisabledNow) disabled.add(endpointId);
    return { delivery: row.delivery, endpoint: row.endpoint, isDisabledNow };
  });
}

function hasJustSucceeded({ error, isAside, retrySeconds, opensCircuit }: TryItem): boolean {
  return error === null && !isAside && retrySeconds === null && !opensCircuit;
}

function verdictOf({ step, isAside, retrySeconds, opensCircuit }: TryItem, id: string) {
  return { id, step, is_aside: isAside, retry_seconds: retrySeconds, opens_circuit: opensCircuit };
}
