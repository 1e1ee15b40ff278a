/** Stores the messages that reach the sandbox's phones, and enqueues their receipts, in one commit per group. */
import type { SandboxArrival, SandboxServices } from '../../channels/sandbox/provider.ts';
import { type Apply, defineBatch } from '../../db/batch.ts';
import type { Database } from '../../db/orm.ts';
import { rowsWithout } from '../../db/statements/records.ts';
import type { Sql } from '../../db/statements/sql.ts';
import { statement } from '../../db/statements/statement.ts';
import type { Jobs } from '../../queue/kit.ts';
import { sandboxReceipt } from './order-receipts.ts';
import { sandboxReceiptsJob } from './sandbox.jobs.ts';
import { SandboxMessage } from './sandbox-message.entity.ts';

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

// When it came, the database's clock says.
const ARRIVALS = rowsWithout(SandboxMessage, 'createdAt');

const KEEP_ARRIVALS = statement('keep arrivals', {
  takes: { arrivals: ARRIVALS },
  sql: p => `insert into sandbox_messages (${ARRIVALS.columns}, created_at)
    select ${ARRIVALS.columns}, now() from ${p.arrivals('r')}`,
});

function rowOf({ request, providerMessageId }: SandboxArrival) {
  const { accountId, to: recipient, channel, from, text } = request;
  return { id: providerMessageId, accountId, recipient, channel, sender: from === '' ? null : from, text };
}

async function applyKeep(sql: Sql, items: readonly KeepItem[]): ReturnType<Apply<KeepItem, void>> {
  await KEEP_ARRIVALS.run(sql, { arrivals: items.map(({ arrival }) => rowOf(arrival)) });
  const receipts = items.map(({ arrival: { request, providerMessageId, later } }) =>
    sandboxReceipt(providerMessageId, request.attemptId, later),
  );
  // All items of a process have the same queue.
  await items[0]?.jobs.enqueue({ getKysely: () => sql }, sandboxReceiptsJob, [{ receipts }], {
    startAfterSeconds: REPORT_AFTER_SECONDS,
  });
  return items.map(() => undefined);
}
