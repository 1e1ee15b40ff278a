/** Redelivery: a delivery that is over, or waits, goes on its way again, with the id and the body that it had. */
import type { z } from 'zod';
import type { Ctx } from '../../../context.ts';
import { readListInput } from '../../../db/page.ts';
import { runSql, type Sql } from '../../../db/statements/sql.ts';
import { AppError, invalidInput } from '../../../kernel/errors.ts';
import { parseId, toUuid } from '../../../kernel/ids.ts';
import type { AuditAction } from '../../audit/audit-actions.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { recordEndpoint } from '../endpoints/audit-endpoints.ts';
import { findEndpoint } from '../endpoints/manage-endpoints.ts';
import { requireWebhookCaller } from '../endpoints/webhook-caller.ts';
import type { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.ts';
import { wakeEndpoint } from '../events/announce-webhooks.ts';
import { type RecoverInput, type RedeliverInput, recoverInput, redeliverInput } from './delivery-filter.input.ts';
import { idsBetween } from './list-deliveries.ts';
import { redeliverWebhooksJob } from './webhook.jobs.ts';
import { WebhookDelivery } from './webhook-delivery.entity.ts';

/** How many deliveries of an endpoint are begun again a second: what an endpoint missed must not knock it over. */
const RATE = 50;

/** How many one statement begins again, and how many one run of the job: a few seconds of work. */
const CHUNK_SIZE = 1_000;
const RUN_SIZE = 100_000;

/** What the job is told. */
type Redelivery = z.infer<typeof redeliverWebhooksJob.schema>;

/**
 * Makes a delivery again, at once and with its schedule from the beginning; one that waits for its next try need not wait longer.
 * @throws AppError `not_found`; `invalid_input` on `deliveryId` where the endpoint is disabled or deleted, and for a test; and what
 * `requireWebhookCaller` throws.
 */
export async function redeliverWebhook(ctx: Ctx, deliveryId: string): Promise<WebhookDelivery> {
  const { id: accountId } = requireWebhookCaller(ctx);
  const id = parseId('dlv', deliveryId);
  const found = id ? await ctx.em.findOne(WebhookDelivery, { id, accountId }) : null;
  if (!found) throw new AppError('not_found', 'There is no such webhook delivery.');
  if (found.isTest) throw invalidInput('deliveryId', 'is a test; test the endpoint again instead');
  await ctx.em.transactional(async em => {
    const sql = em.getKysely();
    const [restarted] = await runSql<{ id: string }>(
      sql,
      `update webhook_deliveries d
       set step = case when d.status = 'pending' then d.step else 0 end,
           deaths = case when d.status = 'pending' then d.deaths else 0 end, status = 'pending', next_try_at = clock_timestamp(),
           error = null, finished_at = null
       from webhook_endpoints e
       where d.id = $1 and e.id = d.endpoint_id and e.status <> 'disabled' returning d.id`,
      [toUuid(found.id)],
    );
    if (!restarted) throw await refusalOf(sql, found.endpointId);
    const details = { endpointId: found.endpointId };
    await recordAudit(em, ctx, { accountId, action: 'delivery.redelivered', subject: found.id, details });
    await wakeEndpoint(sql, found.endpointId);
  });
  return ctx.em.findOneOrFail(WebhookDelivery, { id: found.id }, { refresh: true });
}

async function refusalOf(sql: Sql, endpointId: string): Promise<AppError> {
  const [endpoint] = await runSql(sql, 'select 1 from webhook_endpoints where id = $1', [toUuid(endpointId)]);
  return invalidInput(
    'deliveryId',
    endpoint
      ? 'its endpoint is disabled; enable it first'
      : 'its endpoint was deleted, so there is nowhere to deliver it',
  );
}

/**
 * Makes the deliveries of an endpoint again that pass the filter and are over now, 50 a second. Answers how many there are.
 * @throws AppError `not_found`, `invalid_input` on a field of the filter, and on `endpointId` where the endpoint is disabled; and what
 * `requireWebhookCaller` throws.
 */
export async function redeliverWebhooks(ctx: Ctx, input: RedeliverInput): Promise<{ count: number }> {
  const { id: accountId } = requireWebhookCaller(ctx);
  const { endpointId, filter } = readListInput(redeliverInput, input);
  const { status, event, from, to } = filter ?? {};
  return beginRedelivery(ctx, 'endpoint.redelivered', await findEndpoint(ctx.em, accountId, endpointId), {
    status: status ?? 'dead',
    event: event ?? null,
    from: from?.toISOString() ?? null,
    to: to?.toISOString() ?? null,
  });
}

/**
 * Makes again what an endpoint missed since a time: every delivery that was given up (those among them that were never tried because
 * the endpoint was disabled), and every one that failed and waits for its next try. Answers how many there are.
 * @throws as `redeliverWebhooks`.
 */
export async function recoverWebhooks(ctx: Ctx, input: RecoverInput): Promise<{ count: number }> {
  const { id: accountId } = requireWebhookCaller(ctx);
  const { endpointId, since } = readListInput(recoverInput, input);
  const endpoint = await findEndpoint(ctx.em, accountId, endpointId);
  const meant = { status: 'missed', event: null, from: since.toISOString(), to: null } as const;
  return beginRedelivery(ctx, 'endpoint.recovered', endpoint, meant);
}

/** Which rows a redelivery means, as SQL with the parameters of `criteria`. */
const IS_MEANT = `d.endpoint_id = $1 and not d.is_test and ($3::text is null or d.event = $3)
  and ($4::timestamptz is null or d.created_at >= $4) and ($5::timestamptz is null or d.created_at < $5)
  and ($6::uuid is null or d.id >= $6) and ($7::uuid is null or d.id < $7) and ($9::uuid is null or d.id > $9)
  and case when d.status = 'pending' then $2::text = 'missed' and d.step > 0
    else d.finished_at < $8::timestamptz and d.status = case $2::text when 'missed' then 'dead' else $2 end end`;

function criteria({ endpointId, status, event, from, to, before, after }: Redelivery): unknown[] {
  const ids = idsBetween(from === null ? null : new Date(from), to === null ? null : new Date(to));
  return [toUuid(endpointId), status, event, from, to, ids.from, ids.to, before, after];
}

function beginRedelivery(
  ctx: Ctx,
  action: AuditAction,
  endpoint: WebhookEndpoint,
  meant: Pick<Redelivery, 'status' | 'event' | 'from' | 'to'>,
): Promise<{ count: number }> {
  if (endpoint.status === 'disabled') throw invalidInput('endpointId', 'the endpoint is disabled; enable it first');
  return ctx.em.transactional(async em => {
    const sql = em.getKysely();
    const [clock] = await runSql<{ before: string }>(sql, 'select clock_timestamp()::text as before', []);
    const redelivery = { ...meant, endpointId: endpoint.id, before: clock?.before ?? '', after: null };
    const [counted] = await runSql<{ count: number }>(
      sql,
      `select count(*)::int as count from webhook_deliveries d where ${IS_MEANT}`,
      criteria(redelivery),
    );
    const count = counted?.count ?? 0;
    if (count > 0) {
      await ctx.services.jobs.enqueue(em, redeliverWebhooksJob, [redelivery]);
      await recordEndpoint(em, ctx, endpoint, action, { ...meant, count });
    }
    return { count };
  });
}

/**
 * Runs a redelivery, chunk by chunk. What was begun again is not meant any more, so a run that broke off goes on where it was, and a
 * second redelivery of the same finds nothing left. @throws AppError `database_unavailable`.
 */
export async function restartDeliveries(ctx: Ctx, redelivery: Redelivery): Promise<void> {
  let { after } = redelivery;
  for (let total = 0; total < RUN_SIZE; total += CHUNK_SIZE) {
    after = await restartChunk(ctx, { ...redelivery, after });
    if (after === null) return;
  }
  await ctx.em.transactional(em => ctx.services.jobs.enqueue(em, redeliverWebhooksJob, [{ ...redelivery, after }]));
}

/**
 * Begins a chunk again, the oldest first, each a fiftieth of a second after the one before; and after those that an earlier chunk or
 * another redelivery has begun. They are known by their step: a new delivery waits for nothing, and a retry has one. Answers where the
 * next chunk begins, so that what fails again meanwhile is not begun once more; null: this was the last.
 */
async function restartChunk(ctx: Ctx, redelivery: Redelivery): Promise<string | null> {
  return ctx.services.database.fork().transactional(async em => {
    const sql = em.getKysely();
    // Redeliveries to one endpoint take turns, in a statement of its own: the next one sees what the other has begun.
    const [open] = await runSql(
      sql,
      `select 1 from webhook_endpoints where id = $1 and status <> 'disabled' for update`,
      [toUuid(redelivery.endpointId)],
    );
    // A disabled endpoint gets nothing: what is dead stays dead.
    if (!open) return null;
    const [row] = await runSql<{ count: number; last: string | null }>(
      sql,
      `with begins as materialized (
         select greatest(clock_timestamp(), (
           select max(d.next_try_at) from webhook_deliveries d
           where d.endpoint_id = $1 and d.status = 'pending' and d.step = 0 and not d.is_test)) as at
       ), meant as materialized (
         select d.id from webhook_deliveries d where ${IS_MEANT} order by d.id limit $10 for update
       ), restarted as (
         update webhook_deliveries d
         set status = 'pending', step = 0, deaths = case when d.status = 'pending' then d.deaths else 0 end, error = null, finished_at = null,
             next_try_at = begins.at + m.place * make_interval(secs => 1.0 / ${RATE})
         from (select id, row_number() over (order by id) - 1 as place from meant) m, begins
         where d.id = m.id and d.id between (select min(id::text)::uuid from meant) and (select max(id::text)::uuid from meant)
         returning 1
       )
       select count(*)::int as count, (select max(id::text) from meant) as last from restarted`,
      [...criteria(redelivery), CHUNK_SIZE],
    );
    if (!row?.last) return null;
    await wakeEndpoint(sql, redelivery.endpointId);
    return row.count < CHUNK_SIZE ? null : row.last;
  });
}
