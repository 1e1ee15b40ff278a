/** The sandbox's phones: they keep what arrives, and promise its later status, in one commit for all that arrive at once. */
import type { Receipt } from '../../channels/contract.ts';
import { SANDBOX_ID, type SandboxArrival, type SandboxServices } from '../../channels/sandbox/provider.ts';
import { type Apply, defineBatch } from '../../db/batch.ts';
import type { Database } from '../../db/orm.ts';
import { asJson, runSql, type Sql } from '../../db/statements/sql.ts';
import { toUuid } from '../../kernel/ids.ts';
import type { Jobs } from '../../queue/kit.ts';
import { sandboxReceiptsJob } from './sandbox.jobs.ts';

/** How long a phone takes to report. Also lets the settle of the attempt, which stores the provider's id, commit first. */
const REPORT_AFTER_SECONDS = 1;

/** An arrival, with the queue that its receipt is promised on. */
interface KeepItem {
  readonly arrival: SandboxArrival;
  readonly jobs: Jobs;
}

const keep = defineBatch<KeepItem, void>('sandbox', applyKeep, { inTime: true });

/** The phones of a database. `jobs` is asked at each arrival, since the queue is opened after the providers are made. */
export function createSandboxPhones(database: Database, jobs: () => Jobs): SandboxServices {
  const keepItem = keep(database);
  return { keepArrival: arrival => keepItem({ arrival, jobs: jobs() }) };
}

async function applyKeep(sql: Sql, items: readonly KeepItem[]): ReturnType<Apply<KeepItem, void>> {
  const rows = items.map(({ arrival: { request, providerMessageId } }) => ({
    id: toUuid(providerMessageId),
    account_id: toUuid(request.accountId),
    recipient: request.to,
    channel: request.channel,
    sender: request.from === '' ? null : request.from,
    text: request.text,
  }));
  await runSql(
    sql,
    `insert into sandbox_messages (id, account_id, recipient, channel, sender, text, created_at)
     select id, account_id, recipient, channel, sender, text, now() from json_populate_recordset(null::sandbox_messages, $1::json)`,
    [asJson(rows)],
  );
  const receipts = items.map(({ arrival }) => receiptOf(arrival));
  // A process has one queue, so the group has.
  await items[0]?.jobs.enqueue({ getKysely: () => sql }, sandboxReceiptsJob, [{ receipts }], {
    startAfterSeconds: REPORT_AFTER_SECONDS,
  });
  return items.map(() => undefined);
}

function receiptOf({ request, providerMessageId, later }: SandboxArrival): Receipt {
  const isBad = later === 'failed' || later === 'expired';
  return {
    provider: SANDBOX_ID,
    providerMessageId,
    attemptId: request.attemptId,
    status: later,
    errorCode: isBad ? 'undelivered' : null,
    errorMessage: isBad ? 'The phone did not take the message.' : null,
  };
}
