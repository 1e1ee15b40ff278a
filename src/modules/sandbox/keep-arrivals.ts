/** Stores the messages that reach the sandbox's phones, and enqueues their receipts, in one commit per group. */
import type { SandboxArrival, SandboxServices } from '../../channels/sandbox/provider.ts';
import { type Apply, defineBatch } from '../../db/batch.ts';
import type { Database } from '../../db/orm.ts';
import type { Sql } from '../../db/statements/sql.ts';
import { toUuid } from '../../kernel/ids.ts';
import type { Jobs } from '../../queue/kit.ts';
import { sandboxReceipt } from './order-receipts.ts';
import { sandboxReceiptsJob } from './sandbox.jobs.ts';
import { KEEP_ARRIVALS, TAKE_ORDERS } from './sandbox-orders.sql.ts';

/** The delay of a receipt. Also lets the attempt commit with the provider's id first. */
const REPORT_AFTER_SECONDS = 1;

interface KeepItem {
  readonly arrival: SandboxArrival;
  readonly jobs: Jobs;
}

const keep = defineBatch<KeepItem, void>('sandbox', applyKeep, { inTime: true });

/** The phones of a database. `jobs` is a function, since the queue opens after the providers. */
export function createSandboxPhones(database: Database, jobs: () => Jobs): SandboxServices {
  const keepItem = keep(database);
  return { keepArrival: arrival => keepItem({ arrival, jobs: jobs() }) };
}

function rowOf({ request, providerMessageId }: SandboxArrival) {
  const { accountId, to: recipient, channel, from, text } = request;
  return { id: providerMessageId, accountId, recipient, channel, sender: from === '' ? null : from, text };
}

async function applyKeep(sql: Sql, items: readonly KeepItem[]): ReturnType<Apply<KeepItem, void>> {
  const kept = await KEEP_ARRIVALS.first(sql, { arrivals: items.map(({ arrival }) => rowOf(arrival)) });
  const texts = items.map(({ arrival }) => toUuid(arrival.providerMessageId));
  const orders = kept?.has_orders ? await TAKE_ORDERS.run(sql, { texts }) : [];
  const orderOf = new Map(orders.map(order => [order.text_id, order]));
  const reports = items.flatMap(({ arrival: { request, providerMessageId, later } }) => {
    const order = orderOf.get(toUuid(providerMessageId));
    const outcome = order ? order.outcome : later;
    if (outcome === null) return [];
    return [
      { receipt: sandboxReceipt(providerMessageId, request.attemptId, outcome), delay: order?.delay_seconds ?? 0 },
    ];
  });
  for (const [delay, group] of Map.groupBy(reports, report => report.delay)) {
    const payload = { receipts: group.map(({ receipt }) => receipt) };
    // All items of a process have the same queue.
    await items[0]?.jobs.enqueue({ getKysely: () => sql }, sandboxReceiptsJob, [payload], {
      startAfterSeconds: REPORT_AFTER_SECONDS + delay,
    });
  }
  return items.map(() => undefined);
}
